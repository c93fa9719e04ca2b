import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RecordedSteps } from '../../src/client/recorded-steps.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { AgentOptions, AnyTool } from '../../src/define/define-agent.js';
import type { TurnEvent } from '../../src/shared/events.js';
import { TurnFold } from '../../src/shared/fold.js';
import { textOf } from '../../src/shared/messages.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import {
  type RunningWorker,
  replay,
  type Script,
  text,
  toolCall,
  withWorker,
} from '../../src/testing/index.js';
import type { HoldfastWorkerOptions } from '../../src/worker.js';
import { long } from '../support/long.js';
import { agentWith, countedTool, gate, rolesOf, servedModel } from './agents.js';

/** Its text can't be packed to less than half. */
const pageTool = countedTool(
  'read_page',
  { page: z.int(), bytes: z.int() },
  ({ page, bytes }) => `page ${page} ${randomBytes(bytes / 2).toString('hex')}`,
).tool;
const readPages = (count: number, bytes: number): Script => [
  ...Array.from({ length: count }, (_, page) => toolCall('read_page', { page, bytes })),
  text('read'),
];

type Running = RunningWorker & { turn: TurnHandle };
type Options = {
  agent?: Partial<AgentOptions>;
  worker?: Partial<HoldfastWorkerOptions>;
  tools?: AnyTool[];
  during?: (running: Running) => Promise<unknown>;
};

/** A turn whose runs make so many model calls each, and the client's view of it. */
async function longTurn(script: Script, iterationsPerRun: number, options: Options = {}) {
  const { model, server } = await servedModel(script);
  const agent = agentWith(options.tools ?? [pageTool], { model, iterationsPerRun, ...options.agent });
  return await withWorker(
    agent,
    async (running) => {
      const turn = await running.start('Read.');
      await options.during?.({ ...running, turn });
      const outcome = await turn.result();
      const state = await turn.state();
      await replay(turn.turnId);
      const transcript = await turn.transcript();
      const events: TurnEvent[] = [];
      for await (const event of turn.events()) events.push(event);
      const last = await running.client.client.workflow.getHandle(turn.turnId).fetchHistory();
      const started = last.events?.[0]?.workflowExecutionStartedEventAttributes;
      expect(started?.continuedExecutionRunId).not.toBe('');
      expect(server.refusals).toEqual([]);
      expect(transcriptProblems(transcript)).toEqual([]);
      const reads = { ...running.transcripts };
      const { client } = running;
      return { turn, outcome, state, transcript, events, requests: server.requests, reads, last, client };
    },
    options.worker,
  );
}

/** A tool that waits in its body until the test lets it go. */
function heldTool() {
  const [begun, released] = [gate(), gate()];
  const { tool } = countedTool('hold', {}, async (_args, { signal }) => {
    begun.open();
    await Promise.race([
      released.opened,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
    return 'held';
  });
  return { tool, begun: begun.opened, release: released.open };
}

describe('a turn with a long event history', () => {
  test('goes on in new runs, and its client notices nothing', async () => {
    const { outcome, transcript, state, events } = await longTurn(readPages(7, 100), 2);
    expect(outcome).toMatchObject({ type: 'completed', text: 'read', iterations: 8, messageCount: 16 });
    expect(outcome.messages).toEqual(transcript);
    expect(rolesOf(transcript).join(' ')).toBe(`user${' assistant tool'.repeat(7)} assistant`);
    expect(state).toMatchObject({ iteration: 8, messageCount: 16, phase: 'ended' });
    const recorded = events.filter(({ type }) => type !== 'text_delta');
    expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, index) => index + 1));
    expect(recorded.filter(({ type }) => type === 'turn_started')).toHaveLength(1);
    expect(recorded.filter(({ type }) => type === 'tool_finished')).toHaveLength(7);
  });

  test('keeps its limit of iterations over all of them', async () => {
    const { outcome } = await longTurn(readPages(9, 100), 2, { agent: { limits: { iterations: 5 } } });
    expect(outcome).toMatchObject({ type: 'max_iterations', iterations: 5, messageCount: 11 });
  });

  test('has the whole transcript for the model, where no worker remembers any of it', async () => {
    const worker = { transcriptCache: { maxTranscripts: 0 } };
    const { outcome, transcript, reads, requests } = await longTurn(readPages(9, 60_000), 3, { worker });
    expect(outcome.messages).toEqual(transcript);
    expect(reads.hits).toBe(0);
    const results = requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.map(({ content }) => /page (\d+)/.exec(JSON.stringify(content))?.[1]).join('')).toBe(
      '012345678',
    );
  });

  test.runIf(long)('asks for nothing again where its worker remembers the transcript', async () => {
    const { reads } = await longTurn(readPages(9, 60_000), 3);
    expect(reads).toMatchObject({ misses: 0, pages: 0 });
  });

  test.each([100, 30_000])('can be read from its last run alone, with results of %i bytes', async (bytes) => {
    const { outcome, last, client } = await longTurn(readPages(5, bytes), 2);
    const fold = new TurnFold();
    const steps = new RecordedSteps(client.client.options.loadedDataConverter, outcome.turnId);
    for (const event of last.events ?? []) {
      const step = await steps.read(event);
      if (step) fold.apply(step);
    }
    expect(fold.messages.slice(fold.deltaFrom)).toEqual(outcome.messages);
  });

  test('goes on in its run where the transcript can not be packed', async () => {
    const put = () => Promise.reject(new Error('the disk is full'));
    const worker = { artifacts: { put, get: async () => undefined, deleteOlderThan: async () => 0 } };
    const { model } = await servedModel(readPages(4, 90_000));
    const agent = agentWith([pageTool], { model, iterationsPerRun: 3 });
    const outcome = await withWorker(agent, async ({ start }) => (await start('Read.')).result(), worker);
    expect(outcome).toMatchObject({ type: 'completed', iterations: 5 });
  });
});

describe('what people send to a turn that goes on in new runs', () => {
  test.runIf(long)(
    'steers that came in an earlier run have their receipts, and a repeated one counts once',
    async () => {
      const hold = heldTool();
      const script = [toolCall('hold'), ...readPages(4, 100)];
      const { transcript, turn } = await longTurn(script, 1, {
        tools: [hold.tool, pageTool],
        during: async ({ turn }) => {
          await hold.begun;
          await turn.steer('left', { id: 's1' });
          hold.release();
          for await (const event of turn.events()) if (event.type === 'tool_finished' && event.seq > 8) break;
          await turn.steer('left', { id: 's1' });
          await turn.result();
          expect(await turn.receipt('s1')).toMatchObject({ status: 'delivered' });
        },
      });
      expect(transcript.filter(({ role }) => role === 'user').map(textOf)).toEqual(['Read.', 'left']);
      expect(turn.turnId).not.toBe('');
    },
  );

  test('an interrupt in a later run ends the turn, with what earlier runs did', async () => {
    const hold = heldTool();
    const script = [...readPages(3, 100).slice(0, 3), toolCall('hold')];
    const { outcome, transcript } = await longTurn(script, 2, {
      tools: [hold.tool, pageTool],
      during: async ({ turn }) => {
        await hold.begun;
        await turn.interrupt('enough');
      },
    });
    expect(outcome).toMatchObject({ type: 'interrupted', iterations: 4, intervention: { reason: 'enough' } });
    expect(outcome.messages).toEqual(transcript);
    expect(transcript.at(-1)).toMatchObject({ role: 'tool', content: [{ cause: 'was_running' }] });
  });

  test('an interrupt while the transcript is packed ends the turn at once', async () => {
    const packing = gate();
    const put = () => {
      packing.open();
      return new Promise<never>(() => undefined);
    };
    const worker = { artifacts: { put, get: async () => undefined, deleteOlderThan: async () => 0 } };
    const { model } = await servedModel(readPages(5, 90_000));
    const agent = agentWith([pageTool], { model, iterationsPerRun: 4 });
    const outcome = await withWorker(
      agent,
      async ({ start }) => {
        const turn = await start('Read.');
        await packing.opened;
        await turn.interrupt('enough');
        return await turn.result();
      },
      { ...worker, worker: { shutdownGraceTime: '1 second', shutdownForceTime: '2 seconds' } },
    );
    expect(outcome).toMatchObject({ type: 'interrupted', iterations: 4, messageCount: 9 });
  });

  test('a message that is too long to be carried over is refused', async () => {
    const hold = heldTool();
    const { model } = await servedModel([toolCall('hold'), text('done')]);
    await withWorker(agentWith([hold.tool], { model }), async ({ start, client }) => {
      const turn = await start('Hold.');
      await hold.begun;
      const message = 'x'.repeat(250_001);
      await expect(turn.steer(message)).rejects.toThrow(/it may take 250000/);
      await client.client.workflow.getHandle(turn.turnId).signal('steer', { v: 1, message });
      hold.release();
      expect(await turn.result()).toMatchObject({ type: 'completed', messageCount: 4 });
      expect(await turn.receipt('~steer-1')).toMatchObject({ status: 'refused' });
    });
  });

  test('a carried state from anybody but Temporal is refused', async () => {
    const { model } = await servedModel([text('hello')]);
    await withWorker(agentWith([], { model }), async ({ client, taskQueue }) => {
      const started = client.client.workflow.execute('holdfast.turn', {
        ...{ taskQueue, workflowId: `forged-${taskQueue}` },
        args: [{ v: 1, agent: 'tester', prompt: 'hello' }, { v: 1 }],
      });
      await expect(started).rejects.toMatchObject({ cause: { type: 'Turn.UnsupportedVersion' } });
    });
  });
});
