import { expect, test } from 'vitest';
import { modelOf } from '../../src/cli/model-access.js';
import { serveScriptedModel } from '../../src/testing/index.js';

const NOWHERE = 'http://127.0.0.1:9/v1';

test('a local model server is offered where no key is set', async () => {
  const served = await serveScriptedModel([]);
  const offered = modelOf({}, undefined, served.url);
  await expect(offered).rejects.toThrow(`export OPENAI_BASE_URL=${served.url} OPENAI_MODEL=scripted`);
  await served.close();
});

test('nothing is offered where no server answers', async () => {
  await expect(modelOf({}, undefined, NOWHERE)).rejects.toThrow(
    /^(?!.*answers on this machine).*OPENAI_API_KEY/s,
  );
});

test("a server of one's own needs a model's name", async () => {
  await expect(modelOf({ OPENAI_BASE_URL: NOWHERE }, undefined)).rejects.toThrow('OPENAI_MODEL');
});

test('the model of the command line wins over that of the environment', async () => {
  expect(await modelOf({ OPENAI_API_KEY: 'k', OPENAI_MODEL: 'a' }, 'b')).toBe('b');
  expect(await modelOf({ OPENAI_API_KEY: 'k', OPENAI_MODEL: 'a' }, undefined)).toBe('a');
});
