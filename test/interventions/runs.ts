import fc from 'fast-check';
import type { PlannedCall, RunToolInput } from '../../src/shared/activities.js';
import type { ToolResultBlock } from '../../src/shared/messages.js';
import type { RecordedStep } from '../../src/shared/recorded-step.js';
import type { ToolEnd } from '../../src/shared/settle.js';
import { toolThrew, unknownTool } from '../../src/shared/tool-results.js';
import type { TurnSettings } from '../../src/shared/turn-settings.js';

const at = '2026-01-01T00:00:00.000Z';
const tool = {
  ...{ name: 'look_up', idempotent: false, parallel: true, timeoutMs: 1000, heartbeatTimeoutMs: 1000 },
  ...{ maxAttempts: 5, reconciles: false, schemaHash: '' },
};
const settings: TurnSettings = {
  ...{ agent: 'tester', version: '1', model: 'scripted', limits: { iterations: 99 }, maxParallelTools: 8 },
  ...{ maxTruncatedReplies: 3, settleMs: 2000, inlineResultBytes: 0, maxRestarts: 10 },
  toolRetry: { initialMs: 200, maxMs: 10_000 },
  tools: [tool],
};

/** What becomes of a call: it is answered by the plan, or its tool ends in one of these ways. */
type Fate = 'answered' | 'ok' | 'threw' | 'failed' | 'lost' | 'overdue' | 'canceled';
const fate = fc.constantFrom<Fate>('answered', 'ok', 'threw', 'failed', 'lost', 'overdue', 'canceled');

type Round = { fates: Fate[]; order: number[]; steer: boolean };
const round: fc.Arbitrary<Round> = fc.array(fate, { minLength: 1, maxLength: 4 }).chain((fates) =>
  fc.record({
    fates: fc.constant(fates),
    order: fc.shuffledSubarray([...fates.keys()], { minLength: fates.length }),
    steer: fc.boolean(),
  }),
);

/** The recorded steps of a whole turn of up to four tool rounds, whose tools end in any order and in any way. */
export const anyRun: fc.Arbitrary<RecordedStep[]> = fc.array(round, { maxLength: 4 }).map((rounds) => [
  {
    kind: 'started',
    at,
    turnId: 't',
    firstRunId: 'run',
    input: { v: 1, agent: 'tester', prompt: 'hello' },
  },
  ...rounds.flatMap(roundSteps),
  ...modelSteps(rounds.length, [], []),
]);

function roundSteps({ fates, order, steer }: Round, iteration: number): RecordedStep[] {
  const calls = fates.map((each, index) => plannedCall(`call_${iteration}_${index}`, each));
  const running = calls.filter((call) => call.do === 'run');
  const inputs = running.map((call) => inputOf(call.callId, iteration));
  const ended = order.flatMap((index): RecordedStep[] => {
    const [call, how] = [calls[index], fates[index]];
    if (call?.do !== 'run' || how === undefined) return [];
    const input = inputOf(call.callId, iteration);
    return [
      { kind: 'tool_ended', at, activityType: 'look_up', attempt: 1, input, end: endOf(call.callId, how) },
    ];
  });
  const id = `s${iteration}`;
  return [
    ...(steer ? [{ kind: 'steer' as const, at, steer: { id, message: 'left' } }] : []),
    ...modelSteps(iteration, calls, steer ? [id] : []),
    ...inputs.map((input) => ({ kind: 'tool_scheduled' as const, at, activityType: 'look_up', input })),
    ...ended,
  ];
}

function modelSteps(iteration: number, calls: PlannedCall[], steers: string[]): RecordedStep[] {
  const id = `a${iteration}`;
  const text = { type: 'text' as const, id: `${id}.0`, text: 'said' };
  const blocks = calls.map(({ callId, name }) => ({
    ...{ type: 'tool_call' as const, id: callId, name, arguments: '{}' },
  }));
  const message = { role: 'assistant' as const, id, content: [text, ...blocks] };
  const output = { v: 1 as const, message, calls, settings };
  return [
    { kind: 'model_scheduled', at, iteration, steers },
    { kind: 'model_ended', at, attempt: 1, end: { kind: 'completed', output } },
  ];
}

function plannedCall(callId: string, how: Fate): PlannedCall {
  const call = { callId, name: 'look_up' };
  if (how !== 'answered') return { do: 'run', ...call, input: {}, summary: 'look_up' };
  return { do: 'answer', ...call, result: unknownTool({ id: callId, name: 'look_up' }, 'nope', []) };
}

function inputOf(callId: string, iteration: number): RunToolInput {
  return { v: 1, agent: 'tester', version: '1', turnId: 't', iteration, tool: 'look_up', callId, input: {} };
}

function endOf(callId: string, how: Fate): ToolEnd {
  const ok: ToolResultBlock = { type: 'tool_result', callId, name: 'look_up', status: 'ok', content: [] };
  switch (how) {
    case 'threw':
      return {
        kind: 'completed',
        output: { v: 1, result: toolThrew({ id: callId, name: 'look_up' }, 'no') },
      };
    case 'failed':
      return { kind: 'failed', type: 'Tool.Failed', text: 'no' };
    case 'lost':
    case 'canceled':
      return { kind: how, begun: true };
    case 'overdue':
      return { kind: 'overdue' };
    case 'answered':
    case 'ok':
      return { kind: 'completed', output: { v: 1, result: ok } };
    default:
      return how satisfies never;
  }
}
