import { afterAll, beforeAll, expect, test } from 'vitest';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { text, toolCall } from '../../src/testing/index.js';
import { CrashPlace } from '../crash/crash-place.js';
import { resultsOf } from '../crash/crash-turn.js';
import { rolesOf, textOfResult } from '../turn/agents.js';

let place: CrashPlace;
let supervisor: Awaited<ReturnType<CrashPlace['supervised']>>;
beforeAll(async () => {
  place = await CrashPlace.open();
  supervisor = await place.supervised();
});
afterAll(() => place.close());

test("workers killed while a session's turn runs, and as it ends, are replaced; nothing is lost or doubled", async () => {
  const { session, turn } = await place.session([
    toolCall('hold_again'),
    ...[toolCall('hold'), text('first'), text('second')],
  ]);
  await turn.until('began', 'hold_again');
  const second = await session.send('crashing', 'two', { id: 'm2' });
  supervisor.kill();
  await turn.until('began', 'hold_again', 2);
  const again = session.send('crashing', 'two', { id: 'm2' });
  turn.release();
  await turn.handle.result();
  supervisor.kill();
  await again;
  expect(await second.result()).toMatchObject({ type: 'completed', text: 'second' });
  await session.close();
  await place.client.client.workflow.getHandle(session.sessionId).result();
  const messages = await session.transcript();
  expect(transcriptProblems(messages)).toEqual([]);
  expect(rolesOf(messages).join(' ')).toBe('user assistant tool assistant tool assistant user assistant');
  expect(resultsOf(messages).map(textOfResult)).toEqual(['hold_again ended', 'hold ended']);
  expect(turn.runsOf('hold')).toBe(1);
  expect(await session.turns()).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
});
