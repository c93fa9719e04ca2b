import { expect, test } from 'vitest';
import { toolCall } from '../../src/testing/index.js';
import { oddServer, resultsOf, textIn } from './odd-servers.js';

test.concurrent('a result that tells of an error is one', async () => {
  const [result] = await resultsOf(oddServer().server, [toolCall('odd__fails')]);
  expect(result).toMatchObject({ status: 'error', cause: 'tool_threw' });
  expect(textIn(result)).toBe('no such customer');
});

test.concurrent("an error of the server's own is told as it is, whatever its code", async () => {
  const [result] = await resultsOf(oddServer().server, [toolCall('odd__own_code')]);
  expect(result).toMatchObject({ status: 'error' });
  expect(textIn(result)).toContain('not signed in');
});

test.concurrent('a pattern that takes for ever is left to the server', async () => {
  const [long, wrong] = await resultsOf(oddServer().server, [
    toolCall('odd__slow_pattern', { word: `${'a'.repeat(60)}!` }),
    toolCall('odd__slow_pattern', { word: 'b' }),
  ]);
  expect(textIn(long)).toBe('took 61');
  expect(textIn(wrong)).toContain('word must match pattern');
});

// FA-032
test.concurrent('structured content goes before the text that stands for it', async () => {
  const [result] = await resultsOf(oddServer().server, [toolCall('odd__stale_text')]);
  expect(textIn(result)).toBe('{"a":{"c":3,"d":4},"b":2}');
});

test.concurrent('blocks that nobody knows, sound, broken images and links are all told', async () => {
  const [result] = await resultsOf(oddServer().server, [toolCall('odd__odd_blocks')]);
  expect(result?.status).toBe('ok');
  expect(textIn(result).split('\n').slice(0, 6)).toEqual([
    '[a block of the type "hologram": {"type":"hologram","depth":3}]',
    '[Kept as audio.wav: audio/wav, 4 bytes]',
    "[image/png: its data is not base64, so that it can't be read]",
    '[resource a.txt at file:///a.txt: text/plain]',
    '[resource file:///b.txt]',
    'the text of b',
  ]);
  expect(result?.artifacts).toMatchObject([{ name: 'audio.wav', mediaType: 'audio/wav', bytes: 4 }]);
});
