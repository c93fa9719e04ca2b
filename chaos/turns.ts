import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import {
  type AgentClient,
  type Receipt,
  type StartOptions,
  TurnFailed,
  type TurnHandle,
} from 'holdfast/client';
import { insist } from './insist.js';
import type { PlannedEnd, PlannedSteer, PlannedTurn } from './plan.js';
import { type Answer, appendRecord, type Deed } from './records.js';
import { AGENT, promptOf } from './script.js';

/** The one who uses the turns: starts them, speaks into them, and waits for their ends, through every outage. */
export class Driver {
  readonly #client: AgentClient;
  readonly #deedsPath: string;
  readonly #over: AbortSignal;

  /** After `over`, nobody waits any more. */
  constructor(client: AgentClient, deedsPath: string, over: AbortSignal) {
    this.#client = client;
    this.#deedsPath = deedsPath;
    this.#over = over;
    // Each wait for an end listens on it.
    setMaxListeners(0, over);
  }

  /** So many at a time. `onStarted` is told the number of each, from 0. */
  async runAll(
    turns: readonly PlannedTurn[],
    atOnce: number,
    onStarted: (turn: number) => void,
  ): Promise<void> {
    const waiting = [...turns.entries()];
    const lanes = Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next && !this.#over.aborted; next = waiting.shift()) {
        const [number, turn] = next;
        await this.#runOne(turn, () => onStarted(number));
      }
    });
    await Promise.all(lanes);
  }

  async #runOne(turn: PlannedTurn, onStarted: () => void): Promise<void> {
    const { turnId } = turn;
    const options: StartOptions = {
      turnId,
      ...(turn.brokenTranscript && { transcript: brokenTranscript(turnId) }),
    };
    const handle = await this.#insist(() => this.#client.start(AGENT, promptOf(turn.rounds), options));
    if (!handle) return;
    this.#note({ deed: 'started', at: Date.now(), turnId });
    onStarted();
    await Promise.all([
      ...turn.interventions.map((each) => this.#intervene(handle, each)),
      this.#insist(() => ended(handle), Number.POSITIVE_INFINITY),
    ]);
  }

  async #intervene(turn: TurnHandle, planned: PlannedEnd | PlannedSteer): Promise<void> {
    await setTimeout(planned.afterMs);
    if (planned.kind !== 'steer') {
      const answer = await this.#ask(() => end(turn, planned.kind));
      return this.#note({ deed: 'ended', at: Date.now(), kind: planned.kind, turnId: turn.turnId, answer });
    }
    await this.#steer(turn, planned);
    if (planned.againAfterMs === undefined) return;
    await setTimeout(planned.againAfterMs);
    await this.#steer(turn, planned);
  }

  async #steer(turn: TurnHandle, { id, text, via }: PlannedSteer): Promise<void> {
    const answer = await this.#ask(async () => {
      if (via === 'signal') return (await turn.steer(text, { id })).status;
      const workflow = this.#client.client.workflow.getHandle(turn.turnId);
      const args: [object] = [{ v: 1, id, message: text }];
      const { status } = await workflow.executeUpdate<Receipt, [object]>('steer', { args });
      return status === 'too_late' ? 'too_late' : 'sent';
    });
    this.#note({ deed: 'steered', at: Date.now(), turnId: turn.turnId, id, via, answer });
  }

  /** Asks until there is an answer: a message may arrive more than once, under the same id. */
  async #ask(send: () => Promise<'sent' | 'too_late'>): Promise<Answer> {
    let doubtful = false;
    const answer = await this.#insist(async () => {
      try {
        return await send();
      } catch (error) {
        if (isClosed(error)) return 'too_late';
        doubtful = true;
        throw error;
      }
    });
    // A try without an answer may have arrived, and then the turn's end came before the next try.
    return answer === undefined || (answer === 'too_late' && doubtful) ? 'no_answer' : answer;
  }

  async #insist<Value>(attempt: () => Promise<Value>, deadlineMs?: number): Promise<Value | undefined> {
    return await insist(this.#client, this.#over, attempt, deadlineMs);
  }

  #note(deed: Deed): void {
    appendRecord(this.#deedsPath, deed);
  }
}

async function end(turn: TurnHandle, kind: PlannedEnd['kind']): Promise<'sent' | 'too_late'> {
  if (kind === 'interrupt') return (await turn.interrupt('chaos')).status;
  if (kind === 'stop') return (await turn.stop('chaos')).status;
  await turn.cancel();
  return 'sent';
}

/** However it ended: the judge reads how. */
async function ended(turn: TurnHandle): Promise<void> {
  try {
    await turn.result();
  } catch (error) {
    if (!(error instanceof TurnFailed)) throw error;
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && ['WorkflowNotFoundError', 'TurnNotFound'].includes(error.name);
}

/** As a runner leaves it behind that crashed in the middle of a call. */
function brokenTranscript(turnId: string): NonNullable<StartOptions['transcript']> {
  const id = `${turnId}-earlier`;
  return [
    { role: 'user', id: `${id}-1`, content: [{ type: 'text', id: `${id}-1.0`, text: 'Look around.' }] },
    {
      role: 'assistant',
      id: `${id}-2`,
      content: [{ type: 'tool_call', id: 'call_1_0', name: 'look', arguments: '{"ms":1}' }],
    },
  ];
}
