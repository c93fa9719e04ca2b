import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { FinishedTurn } from '../../src/client/finished-turn.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { TurnEvent } from '../../src/client.js';
import { defineTool } from '../../src/define/define-tool.js';
import type { ToolResultBlock } from '../../src/shared/messages.js';
import { reply, type Script, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { replay } from '../../src/testing/test-turn.js';
import type { ActivityReport, StartedActivity } from '../../src/worker/activity-reports.js';
import { reportLostActivities } from '../../src/worker/lost-activities.js';
import { aborted, agentWith, countedTool, gate, textOfResult } from './agents.js';
import { sharedWorker } from './shared-worker.js';
import { base, noted, setUpBegun, setUps, tools, tries } from './tools-with-options.js';

const worker = sharedWorker(tools);

async function ended(
  script: Script,
): Promise<{ outcome: FinishedTurn; results: ToolResultBlock[]; turn: TurnHandle }> {
  const turn = await worker.start(scriptedModel([...script, text('done')]));
  const outcome = await turn.result();
  const transcript = await turn.transcript();
  const results = transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return { outcome, results, turn };
}

function saying(name: string, ...said: string[]) {
  return reply(...said.map((say) => toolCall(name, { say })));
}

async function untilEvent(turn: TurnHandle, type: TurnEvent['type']): Promise<void> {
  for await (const event of turn.events()) if (event.type === type) return;
}

test('the tool of docs/tools.md is one that runs', async () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const code = read('documented-tool.ts')
    .replace('../../src/index.js', 'holdfast')
    .replace('./documented-shop.js', './shop.js');
  expect(read('../../docs/tools.md')).toContain(`\`\`\`ts\n${code}\`\`\``);
  const ask = (item: string, cents: number) => toolCall('set_price', { item, cents });
  const { results, outcome } = await ended([reply(ask('A-17', 1200), ask('A-17', 1300), ask('B-1', 5))]);
  expect(results.map(textOfResult)).toEqual([
    '{"item":"A-17","centsBefore":1000}',
    '{"item":"A-17","centsBefore":1200}',
    '{"item":"B-1","centsBefore":null}',
  ]);
  expect(outcome.steps[0]?.calls.filter(({ attempts }) => attempts === 2)).toHaveLength(1);
});

test('what a tool sets up is made once for the calls of all turns, at the first one', async () => {
  expect(setUps.shared).toBe(0);
  const both = await Promise.all([ended([saying('shared', 'a', 'b')]), ended([saying('shared', 'c')])]);
  expect(both.flatMap(({ results }) => results.map(textOfResult))).toEqual(Array(3).fill('connection 1'));
});

test('a set-up that fails is an error that says so, and the next call tries again', async () => {
  const { results, outcome } = await ended([saying('failing', 'a'), saying('failing', 'b')]);
  expect(results).toMatchObject([{ status: 'error', cause: 'setup_failed' }, { status: 'ok' }]);
  expect(results.map(textOfResult)).toEqual([
    'Error: what failing needs could not be set up: no route to the database. It was not run. The next call tries to set it up again.',
    'connected',
  ]);
  expect(outcome.steps[0]?.calls[0]?.startedAt).toBeUndefined();
});

test("a set-up has the tool's timeout", async () => {
  const { results } = await ended([saying('slow', 'a')]);
  expect(results).toMatchObject([{ status: 'error', cause: 'setup_failed' }]);
  expect(textOfResult(results[0])).toContain('slow took longer than 0');
});

test('an interrupt ends the wait for a set-up, and the call was not started', async () => {
  const turn = await worker.start(scriptedModel([saying('stuck', 'a')]));
  await setUpBegun.opened;
  await turn.interrupt();
  const { type, steps } = await turn.result();
  expect(type).toBe('interrupted');
  expect(steps[0]?.calls).toMatchObject([{ status: 'interrupted', cause: 'not_started' }]);
});

test('what fits the output is given as the output reads it, and what does not is told whole', async () => {
  const { results } = await ended([saying('order', 'good', 'bad', 'none', 'long')]);
  const [good, bad, none, long] = results;
  expect(textOfResult(good)).toBe('{"total":5,"currency":"EUR"}');
  expect(results.slice(1)).toMatchObject(Array(3).fill({ status: 'error', cause: 'invalid_result' }));
  expect(textOfResult(bad)).toBe(
    'Error: order ran, and what it returned does not fit its output schema, which is a fault of the tool. What it did stays done.\n' +
      '- total: Invalid input: expected number, received string\nWhat it returned:{"total":"5","items":[1]}',
  );
  expect(bad?.content.map(({ id }) => id)).toEqual([`${bad?.callId}.0`, `${bad?.callId}.1`]);
  expect(textOfResult(none)).toContain('expected object, and it is missing\nIt returned nothing.');
  expect(textOfResult(long)).toContain('bytes left out of 30012');
  expect(long?.artifact?.bytes).toBe(30_012);
});

test('what an idempotent tool throws is tried again as its retry says, and the steps tell how often', async () => {
  const { results, outcome } = await ended([saying('flaky', 'first', 'second', 'never', 'broken')]);
  expect(results.map(textOfResult)).toEqual(['first at 1', 'second at 2', 'Error: busy', 'Error: broken']);
  expect(tries.toSorted()).toEqual([
    'broken 1',
    'first 1',
    'never 1',
    'never 2',
    'never 3',
    'second 1',
    'second 2',
  ]);
  expect(outcome.steps[0]?.calls.map(({ attempts }) => attempts)).toEqual([undefined, 2, 3, undefined]);
});

test('a try that takes too long is tried again', async () => {
  const { results, outcome, turn } = await ended([saying('late', 'a')]);
  expect(textOfResult(results[0])).toBe('in time at 2');
  expect(outcome.steps[0]?.calls).toMatchObject([{ attempts: 2, status: 'ok' }]);
  await replay(turn.turnId);
});

test('the wait before a retry ends with an interrupt', async () => {
  const turn = await worker.start(scriptedModel([saying('patient', 'a')]));
  await untilEvent(turn, 'retry_waiting');
  await turn.interrupt();
  expect(await turn.result()).toMatchObject({ type: 'interrupted' });
});

test('calls with the same key run in request order, those with other keys side by side', async () => {
  const { results, turn } = await ended([saying('edit', 'a meets', 'b meets', 'a again', 'nowhere')]);
  expect(results.map(({ status, cause }) => cause ?? status)).toEqual([
    'ok',
    'ok',
    'ok',
    'concurrency_key_failed',
  ]);
  expect(textOfResult(results[3])).toContain('there is no such place');
  expect(noted.indexOf('+b meets')).toBeLessThan(noted.indexOf('-a meets'));
  expect(noted.indexOf('+a again')).toBeGreaterThan(noted.indexOf('-a meets'));
  await replay(turn.turnId);
});

test('calls with the same key keep their order whatever is approved first; others do not wait', async () => {
  const from = noted.length;
  const turn = await worker.start(scriptedModel([saying('edit', 'ask 1', 'ask 2', 'c'), text('done')]));
  const asked: string[] = [];
  for await (const event of turn.events()) {
    if (event.type === 'approval_requested') asked.push(event.callId);
    if (event.type === 'tool_finished') await turn.approve(asked[1] ?? '');
    if (event.type === 'tool_finished' && asked.length === 2) break;
  }
  expect(noted.slice(from)).toEqual(['+c', '-c']);
  await turn.approve(asked[0] ?? '', { arguments: { say: 'changed' } });
  await turn.result();
  expect(noted.slice(from)).toEqual(['+c', '-c', '+changed', '-changed', '+ask 2', '-ask 2']);
  await replay(turn.turnId);
});

test('of a worker that dies in a set-up nothing has run; in a tool, reconcile is given what setup makes', async () => {
  const [connecting, connected] = [gate(), gate()];
  const begun = [gate(), gate()];
  const runs: string[] = [];
  const pay = defineTool({
    ...{ ...base, name: 'pay' },
    output: z.object({ paid: z.number() }),
    async setup() {
      connecting.open();
      await connected.opened;
      return 42;
    },
    async run({ say }, { signal, setup }) {
      runs.push(say);
      begun[say === 'good' ? 0 : 1]?.open();
      await aborted(signal);
      return { paid: setup };
    },
    reconcile: (_key, { say }, { setup }) =>
      say === 'good' ? { paid: setup } : JSON.parse('{"paid":"all"}'),
  });
  const running = new Map<string, StartedActivity>();
  const onActivity = (report: ActivityReport) => {
    if (report.type === 'activity_started') running.set(report.token, report);
    else running.delete(report.token);
  };
  const model = scriptedModel([saying('pay', 'good', 'bad'), text('done')]);
  await withWorker(
    agentWith([pay], { model }),
    async ({ start, client }) => {
      const turn = await start('hello');
      await connecting.opened;
      await vi.waitFor(() => expect(running.size).toBe(2));
      await reportLostActivities(client.client, [...running.values()], 'test');
      connected.open();
      await Promise.all(begun.map(({ opened }) => opened));
      expect(runs.toSorted()).toEqual(['bad', 'good']);
      await reportLostActivities(client.client, [...running.values()], 'test');
      await turn.result();
      expect(runs).toHaveLength(2);
      const results = (await turn.transcript()).flatMap(({ role, content }) =>
        role === 'tool' ? content : [],
      );
      expect(results).toMatchObject([{ status: 'ok' }, { status: 'error', cause: 'invalid_result' }]);
      expect(textOfResult(results[0])).toBe('{"paid":42}');
      expect(textOfResult(results[1])).toContain('- paid: Invalid input: expected number, received string');
    },
    { onActivity },
  );
});

test('a tool’s signal is one and the same, and the tool may put one of its own in its place', async () => {
  const same = countedTool('same', {}, (_, context) => {
    const { signal } = context;
    return signal === context.signal;
  });
  const own = countedTool('own', {}, (_, context) => {
    context.signal = AbortSignal.any([context.signal, AbortSignal.abort()]);
    return context.signal.aborted;
  });
  const model = scriptedModel([reply(toolCall('same'), toolCall('own')), text('done')]);
  await withWorker(agentWith([same.tool, own.tool], { model }), async ({ start }) => {
    const turn = await start('hello');
    await turn.result();
    const results = (await turn.transcript()).flatMap((each) => (each.role === 'tool' ? each.content : []));
    expect(results.map(textOfResult)).toEqual(['true', 'true']);
  });
});
