import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { AgentClient } from '../../src/client/agent-client.js';
import { askUser } from '../../src/define/ask-user.js';
import { defineAgent } from '../../src/define/define-agent.js';
import { retryable } from '../../src/define/retryable.js';
import type { TemporaryServer } from '../../src/server/temporary-server.js';
import type { TurnEvent } from '../../src/shared/events.js';
import { attempts, fault, reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import type { StartedActivity } from '../../src/worker/activity-reports.js';
import { reportLostActivities } from '../../src/worker/lost-activities.js';
import { user } from '../shared/transcripts.js';
import { aborted, countedTool, gate } from '../turn/agents.js';
import { found, secretWord } from './place.js';

const WORDS = [
  'prompt',
  'instructions',
  'metadata',
  'handedIn',
  'argument',
  'result',
  'toolError',
  'toolRetry',
  'localResult',
  'localRetry',
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
  'carried',
  'asked',
  'denied',
  'question',
  'answer',
] as const;
export const AGENTS = ['full', 'interrupted', 'failing', 'lost', 'long'] as const;
type AgentName = (typeof AGENTS)[number];
export type Words = Record<(typeof WORDS)[number], string>;

/** One of everything that a turn may carry, each with a word of its own. */
export class Scenario {
  readonly words: Words;
  readonly running = new Map<string, StartedActivity>();
  readonly #begun = gate();
  readonly #steered = gate();
  readonly #lost = gate();
  readonly #server: TemporaryServer;
  /** Words that were in the server's files at any time: what a heartbeat leaves there is soon written over. */
  readonly seen = new Set<string>();
  #tries = 0;
  #quickTries = 0;

  constructor(server: TemporaryServer) {
    this.#server = server;
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
      countedTool(
        'quick',
        input,
        () => {
          this.#quickTries += 1;
          if (this.#quickTries === 1) throw retryable(new Error(words.localRetry));
          return words.localResult;
        },
        { idempotent: true, execution: 'local' },
      ),
      countedTool('loses', input, async (_args, { signal }) => {
        this.#lost.open();
        await aborted(signal);
      }),
      countedTool('asked', input, () => '', { approval: 'ask' }),
      { tool: askUser() },
    ].map(({ tool }) => tool);
  }

  /** Looks into the server's files. */
  look(): void {
    for (const word of found(Object.values(this.words), this.#server)) this.seen.add(word);
  }

  agent(name: AgentName) {
    const { words } = this;
    const scripts = {
      full: [
        reply(
          { type: 'reasoning', text: words.reasoning },
          text(words.reply),
          toolCall('work', { text: words.argument }),
          toolCall('fail'),
          toolCall('again'),
          toolCall('quick'),
          toolCall('quick'),
        ),
        attempts(fault({ status: 503, body: { error: { message: words.modelRetry } } }), text('done')),
      ],
      interrupted: [text(`${words.partial} ${'and so on '.repeat(1000)}`)],
      failing: [fault({ status: 401, body: { error: { message: words.modelFault } } })],
      lost: [toolCall('loses'), text('what a pity')],
      long: [
        toolCall('asked', { text: words.asked }),
        toolCall('ask_user', { question: words.question }),
        text('at the end'),
      ],
    };
    const model = scriptedModel(scripts[name], {
      pieceDelayMs: name === 'interrupted' ? 20 : 0,
      pieceChars: 60,
    });
    return defineAgent({
      name,
      instructions: 'Be.',
      model,
      tools: this.#tools(),
      ...(name === 'long' && { iterationsPerRun: 1 }),
    });
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
    this.look();
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
    this.look();
    await turn.interrupt(this.words.reason);
    return { outcome: await turn.result(), transcript: await turn.transcript() };
  }

  async failing(client: AgentClient): Promise<unknown> {
    const turn = await client.start('failing', 'go on');
    return await turn.result().catch((error: unknown) => error);
  }

  /** Each of its runs hands the transcript to the next one; people decide and answer. */
  async long(client: AgentClient) {
    const turn = await client.start('long', this.words.carried);
    for await (const event of turn.events()) {
      if (event.type === 'approval_requested') await turn.deny(event.callId, { reason: this.words.denied });
      if (event.type === 'question_asked') await turn.answer(event.callId, this.words.answer);
    }
    return { outcome: await turn.result(), transcript: await turn.transcript() };
  }

  async lost(client: AgentClient) {
    const turn = await client.start('lost', 'go on');
    await this.#lost.opened;
    this.look();
    await reportLostActivities(client.client, [...this.running.values()], this.words.workerLost);
    return await turn.result();
  }
}
