import { expect, test } from 'vitest';
import { text, toolCall } from '../../src/testing/index.js';
import { idle, sessionPlace } from './session-place.js';

const place = sessionPlace();

test('a message begins the session; the next turn sees what was said, and its own instructions', async () => {
  const { session, send, told, requests } = place.open([text('hello'), text('again')]);
  const first = await send('one');
  expect(first.sent).toMatchObject({ status: 'started', position: 0, turnId: first.turnId });
  expect(first.turnId).toMatch(`${session.sessionId}/`);
  expect(await first.result()).toMatchObject({ type: 'completed', text: 'hello', messageCount: 2 });
  await (await send('two', { agent: 'other' })).result();
  await idle(session, 2);
  expect(await told()).toEqual(['u: one', 'a: hello', 'u: two', 'a: again']);
  expect(requests.map(({ instructions }) => instructions)).toEqual(['Test.', 'Be another one.']);
  expect(requests[1]?.messages).toHaveLength(3);
});
