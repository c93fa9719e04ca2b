import { expect, onTestFinished, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { fault, rawBytes, type ScriptEntry, serveScriptedModel, text } from '../../src/testing/index.js';
import { failureOf, requestOf } from '../openai-chat/call-served.js';
import { contextWith } from '../openai-responses/call-responses.js';

async function messageOf(entry: ScriptEntry, options: OpenAiOptions): Promise<string> {
  const server = await serveScriptedModel([entry]);
  onTestFinished(() => server.close());
  const model = openai({ baseURL: server.url, ...options });
  return (await failureOf(model.call(requestOf(), contextWith()))).message;
}

const saying = (said: string) => fault({ status: 400, body: { error: { message: said } } });

test.each([
  ['authorization', 'Bearer hunter2-is-mine', ['hunter2-is-mine']],
  ['Ocp-Apim-Subscription-Key', 'f00dfeed', ['f00dfeed']],
  ['cookie', 'session=open-sesame; path=/x', ['open-sesame']],
  ['x-portkey-config', 'pc-prod-0a1b2c3d4e5f6a7b', ['pc-prod-0a1b2c3d4e5f6a7b']],
])('no error shows the header %s that requests carry', async (name, value, secrets) => {
  const message = await messageOf(saying(`bad ${name}: ${value} (${secrets.join()})`), {
    headers: { [name]: value },
  });
  for (const secret of secrets) expect(message).not.toContain(secret);
  expect(message).toContain(`bad ${name}: `);
});

test('headers that name a provider or an address are shown', async () => {
  const headers = { 'x-portkey-provider': 'anthropic', 'x-portkey-custom-host': 'http://10.0.0.7:4010/v1' };
  const said = 'anthropic error: http://10.0.0.7:4010/v1 is down';
  expect(await messageOf(saying(said), { headers })).toContain(said);
});

test.each([
  ['sk-1234', '[key]'],
  ['ollama', 'ollama'],
])('a short key is hidden where it is one: "%s"', async (apiKey, shown) => {
  expect(await messageOf(saying(`unknown user ${apiKey}.`), { apiKey })).toContain(`unknown user ${shown}.`);
});

test.each([
  ['cut', '0123456789abcdef0123456789abcdef', '0123456789abcdef012345678...'],
  ['cut after eight', 'abcdefgh0123456789', 'abcdefgh...'],
  ['escaped as JSON', 'my"key\\0123456789', String.raw`my\"key\\0123456789`],
  ['escaped twice', 'my"key0123456789', String.raw`my\\\"key0123456789`],
  ['with escaped slashes', 'key/0123456789', String.raw`key\/0123456789`],
  ['escaped for an address', 'key/+0123456789==', 'key%2F%2B0123456789%3D%3D'],
  ['escaped and cut', 'key/+0123456789==', 'key%2F%2B01234...'],
])('a key is hidden where it is %s', async (_, apiKey, shown) => {
  const message = await messageOf(saying(`Incorrect key: ${shown} It is wrong.`), { apiKey });
  expect(message).toMatch(/Incorrect key: \[key\]\.{0,3} It is wrong/);
});

test('the beginning of a key that is a word is shown where it is one', async () => {
  const message = await messageOf(saying('anthropic is down'), { apiKey: 'anthropic-team-key' });
  expect(message).toContain('anthropic is down');
});

test('a page that repeats the key in place of an answer shows none of it', async () => {
  const page = rawBytes(['I know you, hunter2-is-mine.'], {
    headers: { 'content-type': 'application/json' },
  });
  const message = await messageOf(page, { apiKey: 'hunter2-is-mine' });
  expect(message).toContain('I know you, [key].');
});

test('a header that can not be sent is not shown either', async () => {
  const message = await messageOf(text('unused'), { headers: { authorization: 'Bearer line\nbreak-1' } });
  expect(message).not.toContain('break-1');
});
