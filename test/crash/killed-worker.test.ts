import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Message } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import {
  attempts,
  fault,
  rawChunks,
  reasoning,
  reply,
  type ScriptEntry,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { callDelta } from '../openai-chat/call-served.js';
import { long } from '../support/long.js';
import { CrashPlace } from './crash-place.js';

// One place and one supervisor for all: each test kills the worker that serves then.
let place: CrashPlace;
let supervisor: Awaited<ReturnType<CrashPlace['supervised']>>;
beforeAll(async () => {
  place = await CrashPlace.open();
  supervisor = await place.supervised();
});
afterAll(() => place.close());

describe('a worker killed during a model call', () => {
  test('is replaced: the call is made again, and the text of the dead attempt is withdrawn', async () => {
    const cut = rawChunks([{ choices: [{ index: 0, delta: { content: 'It was a dark' } }] }], {
      ending: 'open',
    });
    const whole = reply(text('It was a bright day.'), { delayMs: 500 });
    const turn = await place.start([attempts(cut, whole)], { stream: true });
    const { events, ended, until } = turn.watch();
    await until('text_delta');
    supervisor.kill();
    const { outcome } = await turn.ended();
    await ended;
    expect(outcome).toMatchObject({ type: 'completed', text: 'It was a bright day.' });
    expect(turn.modelCalls).toBe(2);
    expect(outcome.usage).toMatchObject({ modelCalls: 1, failedCalls: 1, unknownCalls: 1 });
    const shown = events.map(({ type }) => type).filter((type) => type !== 'retry_waiting');
    expect(shown.slice(0, 4)).toEqual(['turn_started', 'model_started', 'text_delta', 'reset']);
    expect(events.filter(({ type }) => type === 'message')).toHaveLength(1);
  });

  test.runIf(long)('is known to have begun a reply of which there was nothing to show', async () => {
    const begun = callDelta({ index: 0, id: 'c1', function: { name: 'hold', arguments: '{' } });
    const cut = rawChunks([begun], { ending: 'open' });
    const turn = await place.start([attempts(cut, text('done'))]);
    await turn.untilBeat((beat) => expect(beat).toMatchObject({ spent: { unknownCalls: 1 } }));
    supervisor.kill();
    const { outcome } = await turn.ended();
    expect(outcome.usage).toMatchObject({ modelCalls: 1, failedCalls: 1, unknownCalls: 1 });
  });

  test("costs no model call while nothing runs but a model's retry wait", async () => {
    const turn = await place.start([attempts(fault({ status: 429, retryAfter: 3 }), text('done'))]);
    const { until } = turn.watch();
    await until('retry_waiting');
    supervisor.kill();
    const { outcome } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(turn.modelCalls).toBe(2);
  });
});

describe('a worker killed during a tool', () => {
  test('that may run once: its effects are told as unknown, and it does not run again', async () => {
    const turn = await place.start([toolCall('hold'), text('done')]);
    await turn.until('began', 'hold');
    supervisor.kill();
    const { outcome, results } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
    expect(turn.runsOf('hold')).toBe(1);
    expect(supervisor.events).toContainEqual(expect.objectContaining({ type: 'reported', activities: 1 }));
  });

  test('that is idempotent: it runs again on the spare, and its result counts', async () => {
    const turn = await place.start([toolCall('hold_again'), text('done')]);
    await turn.until('began', 'hold_again');
    supervisor.kill();
    await turn.until('began', 'hold_again', 2);
    turn.release();
    const { results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'ok', content: [{ text: 'hold_again ended' }] }]);
    expect(turn.lines('ended', 'hold_again')).toHaveLength(1);
  });

  test('that is local: its workflow task is done again, and the tool with it', async () => {
    const turn = await place.start([toolCall('dies_once'), text('done')]);
    const { outcome, results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'ok', content: [{ text: 'dies_once ended' }] }]);
    expect(turn.runsOf('dies_once')).toBe(2);
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  });

  test.each([
    [
      'took effect: what it answers is the result',
      true,
      { status: 'ok', content: [{ text: 'it was paid' }] },
    ],
    ['did not: the model hears that it did not happen', false, { status: 'error', cause: 'did_not_happen' }],
  ])('that can tell whether it %s', async (_, effect, result) => {
    const turn = await place.start([toolCall('pay', { effect }), text('done')]);
    await turn.until(effect ? 'took_effect' : 'began', 'pay');
    supervisor.kill();
    const { results } = await turn.ended();
    expect(results).toMatchObject([result]);
    expect(turn.runsOf('pay')).toBe(1);
    expect(turn.lines('asked', 'pay')).toHaveLength(1);
  });

  test('before its body began: it has not run, and runs on the spare', async () => {
    const turn = await place.start([toolCall('quick', {}, { id: 'dies_before' }), text('done')]);
    const { results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'ok' }]);
    expect(turn.runsOf('quick')).toBe(1);
  });

  test('after its body ended and before its result was told: unknown, and it does not run again', async () => {
    const turn = await place.start([toolCall('quick', {}, { id: 'dies_after' }), text('done')]);
    const { results } = await turn.ended();
    expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
    expect(turn.runsOf('quick')).toBe(1);
  });

  test('of several: finished results stay, and each of the others goes by what its tool may do', async () => {
    const calls = reply(
      toolCall('quick'),
      toolCall('hold'),
      toolCall('hold_again'),
      toolCall('pay', { effect: true }),
    );
    const turn = await place.start([calls, text('done')]);
    const { until } = turn.watch();
    await turn.until('began', 'hold_again');
    await turn.until('took_effect', 'pay');
    await turn.until('began', 'hold');
    await until('tool_finished');
    await vi.waitFor(async () => expect((await turn.handle.state()).pendingCalls[0]?.status).toBe('ok'));
    supervisor.kill();
    await turn.until('began', 'hold_again', 2);
    turn.release();
    const { results } = await turn.ended();
    expect(results.map(({ status }) => status)).toEqual(['ok', 'unknown', 'ok', 'ok']);
    expect(['quick', 'hold', 'pay'].map((tool) => turn.runsOf(tool))).toEqual([1, 1, 1]);
  });

  // O20: the provider refuses a call whose reasoning does not come back as it was
  test('takes no reasoning along: the next one sends that of all rounds back', async () => {
    const said = ['I look first.', 'Now I wait.'];
    const round = (index: number, tool: string) => reply(reasoning(said[index] ?? ''), toolCall(tool));
    const strict = (entry: ScriptEntry) => (messages: readonly Message[]) => {
      const thoughts = messages.flatMap(thoughtsOf);
      const isBack = thoughts.length > 0 && thoughts.every((thought, at) => thought === said[at]);
      const calls = messages.filter(({ role }) => role === 'assistant').length;
      return isBack && thoughts.length === calls ? entry : fault({ status: 400, body: NOT_PASSED_BACK });
    };
    const turn = await place.start([round(0, 'quick'), strict(round(1, 'hold')), strict(text('done'))]);
    await turn.until('began', 'hold');
    supervisor.kill();
    const { outcome } = await turn.ended();
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(turn.modelCalls).toBe(3);
  });

  // FA-050
  test('that has finished: its result stays, and it does not run again', async () => {
    const turn = await place.start([toolCall('quick'), toolCall('hold'), text('done')]);
    await turn.until('began', 'hold');
    supervisor.kill();
    const { results } = await turn.ended();
    expect(results.map(({ status }) => status)).toEqual(['ok', 'unknown']);
    expect(turn.runsOf('quick')).toBe(1);
  });
});

test('a worker killed while a summary is written is replaced: it is asked for again, there is one, and nothing is lost', async () => {
  let sent: readonly Message[] = [];
  let asked = 0;
  const summary = () => {
    asked += 1;
    return asked === 1
      ? { ...reply(text('late')), delayMs: Number.POSITIVE_INFINITY }
      : reply(text('Two were quick.'), { usage: { inputTokens: 9 } });
  };
  const entry = (messages: readonly Message[], { tools }: ModelRequest): ScriptEntry => {
    if (tools.length === 0) return summary();
    if (JSON.stringify(messages).includes('this is a summary of them')) {
      sent = messages;
      return text('done');
    }
    const rounds = messages.filter(({ role }) => role === 'assistant').length;
    return rounds < 2 ? reply(text('x'.repeat(4000)), toolCall('quick')) : toolCall('hold');
  };
  const turn = await place.start([entry, entry, entry, entry]);
  await turn.until('began', 'hold');
  const { id } = await turn.handle.compact({ focus: turn.handle.turnId });
  turn.release();
  await vi.waitFor(() => expect(asked).toBe(1), { timeout: 40_000 });
  supervisor.kill();
  const outcome = await turn.handle.result();
  await turn.expectReplay();
  expect([outcome.type, outcome.text, asked]).toEqual(['completed', 'done', 2]);
  expect(await turn.handle.receipt(id)).toMatchObject({ status: 'done' });
  expect(outcome.usage).toMatchObject({ modelCalls: 5, failedCalls: 1 });
  const compactions = (await turn.events()).filter(({ type }) => type === 'compaction');
  expect(compactions).toMatchObject([{ method: 'summary', trigger: 'asked', usage: { inputTokens: 9 } }]);
  const whole = await turn.handle.transcript();
  expect(whole.map(({ role }) => role).join(' ')).toBe(
    'user assistant tool assistant tool assistant tool assistant',
  );
  // The prompt stays as it is; of the three rounds each message is in the request, or in the summary's range.
  const staying = sent.filter(({ role }) => role !== 'user');
  expect(staying.length + (outcome.summary?.covers.count ?? 0)).toBe(6);
  expect(JSON.stringify(sent)).toContain(turn.handle.turnId);
  expect([turn.runsOf('quick'), turn.runsOf('hold')]).toEqual([2, 1]);
});

const NOT_PASSED_BACK = {
  error: { message: 'The `reasoning_content` in the thinking mode must be passed back to the API.' },
};

function thoughtsOf({ role, content }: Message): string[] {
  const blocks = role === 'assistant' ? content : [];
  return blocks.flatMap((block) => (block.type === 'reasoning' ? [block.text] : []));
}
