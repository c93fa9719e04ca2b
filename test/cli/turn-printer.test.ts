import { expect, test } from 'vitest';
import { limitLine } from '../../src/cli/limit-line.js';
import { terminalOf } from '../../src/cli/terminal.js';
import { TurnPrinter } from '../../src/cli/turn-printer.js';
import { awaitedText } from '../../src/cli/turns/waiting.js';
import type { TurnEvent } from '../../src/shared/events.js';

type Part = TurnEvent extends infer Event
  ? Event extends TurnEvent
    ? Omit<Event, keyof Base>
    : never
  : never;
type Base = { v: 1; seq: number; turnId: string; iteration: number; attempt: number; at: string };

const at = '2026-03-01T12:00:00.000Z';
const in42s = '2026-03-01T12:00:42.000Z';
const clock = new Date(in42s).toTimeString().slice(0, 8);

function printed(event: Part): string {
  const out: string[] = [];
  const { style } = terminalOf(process.stdout, { NO_COLOR: '1' });
  const printer = new TurnPrinter({ style, width: undefined, write: (text) => void out.push(text) });
  printer.print({ v: 1, seq: 1, turnId: 't', iteration: 0, attempt: 2, at, ...event });
  return out.join('');
}

const failure = { type: 'Model.RateLimited', message: 'Details: 429: slow down' };

test.each([
  [in42s, `in 42.0 s (at ${clock})`],
  ['2026-03-01T11:59:59.000Z', 'now'],
  [undefined, 'now'],
])('a retry that waits until %s is printed as "%s"', (untilAt, when) => {
  expect(printed({ type: 'retry_waiting', failure, ...(untilAt && { untilAt }) })).toBe(
    `  ↻ try 1 failed (Model.RateLimited), trying again ${when}: Details: 429: slow down\n`,
  );
});

test.each([
  [in42s, `, for 42.0 s (until ${clock})`],
  [undefined, ''],
])("a wait by the worker's own limits until %s is printed", (untilAt, when) => {
  expect(printed({ type: 'limit_waiting', ...(untilAt && { untilAt }) })).toBe(
    `  … waits for its turn, by this worker's limits of the model${when}\n`,
  );
});

test("a sub-agent's calls are printed further in, those of its own sub-agents further still", () => {
  const base = { v: 1 as const, seq: 1, turnId: 't/c', iteration: 0, attempt: 0, at };
  const started = { type: 'tool_started' as const, callId: 'a', name: 'look_up', summary: 'look_up bicycle' };
  const inner = { type: 'sub_agent' as const, callId: 'c', event: { ...base, ...started } };
  expect(printed(inner)).toBe('    → look_up bicycle\n');
  expect(printed({ ...inner, event: { ...base, ...inner } })).toBe('      → look_up bicycle\n');
});

const covers = { from: 'a', to: 'b', count: 40 };
test.each([
  [
    { method: 'summary', after: 12_000, covers },
    '⇣ the transcript was compacted: about 91,000 tokens are 12,000 now (summary of 40 messages)',
  ],
  [
    { method: 'cleared', after: 60_500, cleared: 7 },
    '⇣ the transcript was compacted: about 91,000 tokens are 60,500 now (7 old results cleared)',
  ],
  [
    { method: 'cleared', after: 60_500, cleared: 7, notKept: 'the disk is full' },
    "⇣ the transcript was compacted: about 91,000 tokens are 60,500 now (7 old results cleared); the model can't look them up: the disk is full",
  ],
  [
    { after: 91_000, problem: 'The summary was empty.' },
    'the transcript stays as it is: The summary was empty.',
  ],
] as const)('a compaction that came to %j is printed', (came, line) => {
  expect(printed({ type: 'compaction', trigger: 'window', before: 91_000, ...came })).toBe(`  ${line}\n`);
});

test('a call that sleeps is printed with its time, and so is what a sleeping turn waits for', () => {
  const started = {
    type: 'tool_started' as const,
    callId: 'a',
    name: 'sleep_until',
    summary: 'sleep_until 1 day',
  };
  expect(printed({ ...started, until: in42s })).toBe(`  → sleep_until 1 day, until ${in42s}\n`);
  const awaited = { kind: 'sleep' as const, state: 'running' as const, attempt: 1, nextAt: in42s };
  expect(awaitedText(awaited)).toBe(`its time: it sleeps until ${in42s}`);
});

test.each([
  [{ limit: 'tokens' as const, spent: 1200, allowed: 1000 }, '1200 tokens of 1000'],
  [{ limit: 'cost' as const, spent: 2.031, allowed: 2 }, '$2.0310 of $2.0000'],
  [{ limit: 'time' as const, spent: 61_000, allowed: 60_000 }, '1 min 1 s of 1 min 0 s'],
])('a limit that is used up is printed: %j', (exceeded, line) => {
  expect(limitLine(exceeded)).toBe(line);
});
