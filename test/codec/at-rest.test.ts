import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { AgentClient } from '../../src/client/agent-client.js';
import { type CodecOptions, dataConverter } from '../../src/codec/data-converter.js';
import { newEncryptionKey } from '../../src/codec/keyring.js';
import { defineAgent } from '../../src/define/define-agent.js';
import { retryable } from '../../src/define/define-tool.js';
import type { TurnEvent } from '../../src/shared/events.js';
import type { Message } from '../../src/shared/messages.js';
import { attempts, fault, reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import type { StartedActivity } from '../../src/worker/activity-reports.js';
import { reportLostActivities } from '../../src/worker/lost-activities.js';
import { user } from '../shared/transcripts.js';
import { aborted, countedTool, gate } from '../turn/agents.js';
import { type CodecPlace, codecPlace, found, quiet, secretWord } from './place.js';

const WORDS = [
  'prompt',
  'instructions',
  'metadata',
  'handedIn',
  'argument',
  'result',
  'toolError',
  'toolRetry',
  'progress',
  'reply',
  'reasoning',
  'modelRetry',
  'steerSignal',
  'steerUpdate',
  'partial',
  'reason',
  'modelFault',
  'workerLost',
] as const;
type Words = Record<(typeof WORDS)[number], string>;

/** One of everything that a turn may carry, each with a word of its own. */
class Scenario {
  readonly words: Words;
  readonly running = new Map<string, StartedActivity>();
  readonly #begun = gate();
  readonly #steered = gate();
  readonly #lost = gate();
  #tries = 0;

  constructor() {
    this.words = Object.fromEntries(WORDS.map((name) => [name, secretWord(name)])) as Words;
  }

  #tools() {
    const { words } = this;
    const input = { text: z.string().optional() };
    return [
      countedTool('work', input, async (_args, { progress }) => {
        progress(words.progress);
        this.#begun.open();
        await this.#steered.opened;
        return words.result;
      }),
      countedTool('fail', input, () => Promise.reject(new Error(words.toolError))),
      countedTool(
        'again',
        input,
        () => {
          this.#tries += 1;
          if (this.#tries === 1) throw retryable(new Error(words.toolRetry), { after: 1 });
          return 'at last';
        },
        { idempotent: true },
      ),
      countedTool('lost', input, async (_args, { signal }) => {
        this.#lost.open();
        await aborted(signal);
      }),
    ].map(({ tool }) => tool);
  }

  agent(name: 'full' | 'interrupted' | 'failing' | 'lost') {
    const { words } = this;
    const scripts = {
      full: [
        reply(
          { type: 'reasoning', text: words.reasoning },
          text(words.reply),
          toolCall('work', { text: words.argument }),
          toolCall('fail'),
          toolCall('again'),
        ),
        attempts(fault({ status: 503, body: { error: { message: words.modelRetry } } }), text('done')),
      ],
      interrupted: [text(`${words.partial} ${'and so on '.repeat(1000)}`)],
      failing: [fault({ status: 401, body: { error: { message: words.modelFault } } })],
      lost: [toolCall('lost'), text('what a pity')],
    };
    const model = scriptedModel(scripts[name], {
      pieceDelayMs: name === 'interrupted' ? 20 : 0,
      pieceChars: 60,
    });
    return defineAgent({ name, instructions: 'Be.', model, tools: this.#tools() });
  }

  async full(client: AgentClient) {
    const { words } = this;
    const turn = await client.start('full', words.prompt, {
      instructions: words.instructions,
      metadata: { note: words.metadata },
      transcript: [user(words.handedIn)],
      stream: true,
    });
    const events: TurnEvent[] = [];
    const watched = (async () => {
      for await (const event of turn.events()) events.push(event);
    })();
    await this.#begun.opened;
    await vi.waitFor(() => expect(events.some(({ type }) => type === 'tool_progress')).toBe(true), 10_000);
    await turn.steer(words.steerSignal);
    const handle = client.client.workflow.getHandle(turn.turnId);
    await handle.executeUpdate('steer', { args: [{ v: 1, id: 'u', message: words.steerUpdate }] });
    const state = await turn.state();
    this.#steered.open();
    const outcome = await turn.result();
    await watched;
    const { staticSummary } = await handle
      .describe()
      .then(async (it) => ({ staticSummary: await it.staticSummary() }));
    return { outcome, events, state, transcript: await turn.transcript(), staticSummary };
  }

  async interrupted(client: AgentClient) {
    const turn = await client.start('interrupted', 'go on', { stream: true });
    for await (const event of turn.events()) {
      if (event.type === 'text_delta') break;
    }
    await turn.interrupt(this.words.reason);
    return { outcome: await turn.result(), transcript: await turn.transcript() };
  }

  async failing(client: AgentClient): Promise<unknown> {
    const turn = await client.start('failing', 'go on');
    return await turn.result().catch((error: unknown) => error);
  }

  async lost(client: AgentClient) {
    const turn = await client.start('lost', 'go on');
    await this.#lost.opened;
    await reportLostActivities(client.client, [...this.running.values()], this.words.workerLost);
    return await turn.result();
  }
}

type Ran = {
  words: Words;
  full: Awaited<ReturnType<Scenario['full']>>;
  interrupted: Awaited<ReturnType<Scenario['interrupted']>>;
  failing: unknown;
  lost: Awaited<ReturnType<Scenario['lost']>>;
  inFiles: string[];
};

async function runAll(place: CodecPlace, codec: CodecOptions): Promise<Ran> {
  const scenario = new Scenario();
  const client = await place.client(codec);
  const agents = (['full', 'interrupted', 'failing', 'lost'] as const).map((name) => scenario.agent(name));
  const { running, words } = scenario;
  const options = {
    agents,
    codec,
    worker: { shutdownGraceTime: '1 second', shutdownForceTime: '2 seconds' },
    onActivity: (report: { type: string; token: string }) => {
      if (report.type === 'activity_started') running.set(report.token, report as StartedActivity);
      else running.delete(report.token);
    },
  } as const;
  return await place.withWorker(options, async () => {
    const ran = {
      full: await scenario.full(client),
      interrupted: await scenario.interrupted(client),
      failing: await scenario.failing(client),
      lost: await scenario.lost(client),
    };
    return { words, ...ran, inFiles: found(Object.values(words), place.server) };
  });
}

const textOfAll = (messages: readonly Message[]) => JSON.stringify(messages);
const cases: [string, CodecOptions][] = [
  ['with a key', { keys: newEncryptionKey('k1'), compress: true }],
  ['without a key', {}],
];

describe.each(cases)('%s', (_name, codec) => {
  let place: CodecPlace;
  let ran: Ran;

  beforeAll(async () => {
    quiet();
    place = await codecPlace();
    ran = await runAll(place, codec);
  });
  afterAll(() => place?.close());

  test(codec.keys ? 'no word of a turn is in the files of the server' : 'each word is there', () => {
    const { words, inFiles } = ran;
    expect(inFiles).toEqual(codec.keys ? [] : Object.values(words));
  });

  test('the client shows the outcome, the transcript, the state and the summary in plain text', () => {
    const { words, full } = ran;
    const { handedIn, prompt, argument, result, toolError, steerSignal, steerUpdate } = words;
    const transcript = textOfAll(full.transcript);
    for (const word of [
      handedIn,
      prompt,
      words.reply,
      argument,
      result,
      toolError,
      steerSignal,
      steerUpdate,
    ]) {
      expect(transcript).toContain(word);
    }
    expect(full.outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(textOfAll(full.outcome.messages)).toContain(result);
    expect(full.state).toMatchObject({ agent: 'full', phase: 'tools' });
    expect(full.staticSummary).toContain(prompt);
  });

  test('events tell progress and why something is tried again in plain text', () => {
    const { words, full } = ran;
    const progress = full.events.flatMap((event) => (event.type === 'tool_progress' ? [event.text] : []));
    expect(progress).toContain(words.progress);
    const retries = full.events.flatMap((event) => (event.type === 'retry_waiting' ? [event.failure] : []));
    expect(JSON.stringify(retries)).toContain(words.modelRetry);
  });

  test('an interrupted turn keeps the text that had come, and who asked', () => {
    const { words, interrupted } = ran;
    expect(interrupted.outcome).toMatchObject({
      type: 'interrupted',
      intervention: { reason: words.reason },
    });
    expect(textOfAll(interrupted.transcript)).toContain(words.partial);
  });

  test("a failed turn's error has its own message, type and outcome", () => {
    expect(ran.failing).toMatchObject({
      name: 'TurnFailed',
      type: 'Model.Authentication',
      message: expect.stringContaining(ran.words.modelFault),
      outcome: { type: 'failed' },
    });
  });

  test('a tool whose worker died is settled as unknown', () => {
    const results = ran.lost.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(results).toMatchObject([{ name: 'lost', status: 'unknown' }]);
  });

  test('a client of its own with the data converter reads it, too', async () => {
    const client = await place.client(codec);
    const { Client } = await import('@temporalio/client');
    const own = new Client({ connection: client.client.connection, dataConverter: dataConverter(codec) });
    const { turnId } = ran.full.outcome;
    expect(await own.workflow.getHandle(turnId).result()).toMatchObject({ text: 'done' });
  });
});
