import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { AgentClient, SessionHandle } from 'holdfast/client';
import { insist } from '../insist.js';
import { appendRecord, type Deed, type Said } from '../records.js';
import { AGENT } from '../script.js';
import { saidIn } from './messages.js';
import type { PlannedSend, PlannedSession } from './plan.js';

/** Turns of one session that are waited for by the one who writes. */
const MOST_WAITING = 3;
/** A send waits five seconds for an answer, and sends a signal then. */
const SEND_DEADLINE_MS = 15_000;
const POLL_MS = 100;
const POLL_PER_SESSION_MS = 10;

export type Talking = {
  client: AgentClient;
  deedsPath: string;
  messagesPerRun: number;
  /** After it nobody waits any more. */
  over: AbortSignal;
  /** After it nothing more is said. */
  enough: AbortSignal;
};

/** Everybody who writes to the sessions: each session has one who says a thing after the other, at the same time as the others. */
export async function talk(sessions: readonly PlannedSession[], talking: Talking): Promise<void> {
  setMaxListeners(0, talking.over);
  const pollMs = POLL_MS + sessions.length * POLL_PER_SESSION_MS;
  await Promise.all(sessions.map((session) => new Talker(session, talking, pollMs).run()));
}

class Talker {
  readonly #planned: PlannedSession;
  readonly #talking: Talking;
  readonly #pollMs: number;
  readonly #session: SessionHandle;
  /** Workflow ids of the turns that have been asked for and are not known to have ended. */
  readonly #waiting: string[] = [];

  constructor(planned: PlannedSession, talking: Talking, pollMs: number) {
    this.#planned = planned;
    this.#talking = talking;
    this.#pollMs = pollMs;
    const { client, messagesPerRun } = talking;
    this.#session = client.session(planned.sessionId, { messagesPerRun });
  }

  async run(): Promise<void> {
    const { over, enough } = this.#talking;
    for (const step of this.#planned.steps) {
      if (over.aborted) return;
      if (enough.aborted) break;
      await setTimeout(step.afterMs);
      if (step.kind === 'send') await this.#say(step);
      else if (step.kind === 'compact') await this.#compact();
      else await this.#interrupt();
      while (this.#waiting.length > MOST_WAITING) await this.#ended(this.#waiting.shift() ?? '');
    }
    await this.#insist(() => this.#session.close());
    await this.#ended(this.#planned.sessionId);
  }

  async #interrupt(): Promise<void> {
    // Written down before, so that nothing happens that the judge can't know of.
    this.#note({ deed: 'session_interrupted', at: Date.now(), sessionId: this.#planned.sessionId });
    await this.#insist(() => this.#session.interrupt('soak'));
  }

  /** By the turn that runs, or by the session itself. */
  async #compact(): Promise<void> {
    const workflow = this.#talking.client.client.workflow.getHandle(this.#planned.sessionId);
    await this.#insist(() => workflow.signal('compact', { v: 1 }));
  }

  async #say(send: PlannedSend): Promise<void> {
    const { sessionId } = this.#planned;
    const { id, whileBusy, copies, late } = send;
    const at = Date.now();
    const again = () =>
      Promise.all(Array.from({ length: copies }, () => this.#insist(() => this.#send(send))));
    const atOnce = late ? undefined : again();
    const answer = (await this.#insist(() => this.#send(send))) ?? 'no_answer';
    await (atOnce ?? again());
    this.#note({ deed: 'said', at, sessionId, id, whileBusy, answer });
    if (whileBusy !== 'steer') this.#waiting.push(`${sessionId}/${id}`);
  }

  async #send(send: PlannedSend): Promise<Said['answer']> {
    const { sessionId } = this.#planned;
    const { id, whileBusy, via } = send;
    const prompt = saidIn(sessionId, send);
    if (via === 'signal') {
      const workflow = this.#talking.client.client.workflow.getHandle(sessionId);
      await workflow.signal('send', { v: 1, id, whileBusy, agent: AGENT, prompt });
      return 'taken';
    }
    const { sent } = await this.#session.send(AGENT, prompt, { id, whileBusy });
    // The soak withdraws none.
    return sent && sent.status !== 'refused' && sent.status !== 'withdrawn' ? sent.status : 'taken';
  }

  async #ended(workflowId: string): Promise<void> {
    const { client, over } = this.#talking;
    const handle = client.client.workflow.getHandle(workflowId);
    while (!over.aborted) {
      const status = await this.#insist(() =>
        handle.describe().then(({ status }) => status.name, unlessAbsent),
      );
      if (status !== undefined && status !== 'RUNNING') return;
      await setTimeout(this.#pollMs);
    }
  }

  async #insist<Value>(attempt: () => Promise<Value>): Promise<Value | undefined> {
    const { client, over } = this.#talking;
    return await insist(client, over, attempt, SEND_DEADLINE_MS);
  }

  #note(deed: Deed): void {
    appendRecord(this.#talking.deedsPath, deed);
  }
}

function unlessAbsent(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
