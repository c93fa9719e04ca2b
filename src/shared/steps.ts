import type { ModelReply } from './activities.js';
import type { CompactionRecord } from './compaction/settings.js';
import type { HookRecord } from './hooks.js';
import { jsonBytes } from './json.js';
import type { StopReason, ToolResultBlock, ToolResultCause, ToolResultStatus } from './messages.js';
import { spentIn, type TurnUsage, type Usage } from './usage.js';
import { wireText } from './wire-text.js';

/** As the worker saw it that did the work; what it could not tell any more, because it died, is absent. */
export type Timing = {
  /** ISO 8601: when the try began that ended it. */
  startedAt?: string;
  /** Of that try. */
  durationMs?: number;
};

/** One iteration of a turn: a model call, and the tool calls that its reply asked for. */
export type TurnStep = Timing & {
  /** Which model call of the turn, from 0. */
  iteration: number;
  /** The one that answered; of a call without a reply the one that was asked. */
  model?: string;
  /** Absent where there is no reply: the model's fault outlived its retries, or an interrupt cut it. */
  stopReason?: StopReason;
  /** Of the reply. What failed tries have cost is in the turn's usage only. */
  usage?: Usage;
  /** Tries of the model call, those that came to nothing included. */
  attempts: number;
  /** Why the turn failed: the fault's dotted type and its text. */
  error?: string;
  /** Of the transcript, before this model call. */
  compactions?: CompactionRecord[];
  /** In the order in which the model asked for them. */
  calls: ToolCallStep[];
  /** What hooks did, around the model call and its tool calls. */
  hooks?: HookRecord[];
};

/** `durationMs`: of the tool's body. A call that never ran (a bad one, one that was not begun) has no timing. */
export type ToolCallStep = Timing & {
  /** How often it was tried, where that is more than once. */
  attempts?: number;
  id: string;
  name: string;
  status: ToolResultStatus;
  /** Why it has no ordinary result. */
  cause?: ToolResultCause;
  /** The beginning of what the model was told, where the status is not `ok`. */
  error?: string;
  subAgent?: SubAgentStep;
};

/** Of a call that is a turn of its own; what it could not tell itself, because it was ended from outside, is absent. */
export type SubAgentStep = { turnId: string; iterations?: number; usage?: TurnUsage };

/** Of all steps of an outcome, and of what is carried over to a turn's next run. */
const MAX_STEPS_BYTES = 64_000;
const MAX_ERROR_BYTES = 300;

/** Of an activity's last try. */
type Tried = { startedAt?: string; attempt?: number; hooks?: readonly HookRecord[] };

type Step = { record: Omit<TurnStep, 'calls'>; calls: Map<string, ToolCallStep | undefined> };

/**
 * Records a turn's steps as its calls end. The workflow and the reader of its event history both use it, so that
 * the two can't tell different stories.
 */
export class Steps {
  readonly #steps: Step[] = [];
  /** By call id: when the tool's last try began, and how many there were. */
  readonly #tried = new Map<string, { startedAt?: string; attempts: number }>();
  /** By call id. */
  readonly #subAgents = new Map<string, SubAgentStep>();
  /** Before the next model call. */
  #compactions: CompactionRecord[] = [];
  /** Steps of an earlier run of the workflow are missing: they were too many. */
  #isCut = false;

  /** Goes on with what an earlier run has carried over. */
  resume(carried: readonly TurnStep[] | undefined): void {
    this.#isCut = carried === undefined;
    for (const { calls, ...record } of carried ?? []) {
      this.#steps.push({ record, calls: new Map(calls.map((call) => [call.id, call])) });
    }
  }

  /** The model answered. */
  replied(iteration: number, reply: ModelReply): void {
    const { stopReason, model } = reply.message;
    const record = {
      iteration,
      ...(model !== undefined && { model }),
      ...(stopReason !== undefined && { stopReason }),
      attempts: attemptIn(reply) ?? (reply.spent?.failedCalls ?? 0) + 1,
      ...timingIn(reply),
      ...(reply.usage && { usage: reply.usage }),
      ...(reply.hooks && { hooks: reply.hooks }),
    };
    this.#tried.clear();
    this.#subAgents.clear();
    this.#add(record, new Map(reply.calls.map(({ callId }) => [callId, undefined])));
  }

  /** There is no reply. `told` is what the call's end tells: an interrupted reply, a failure's details, a last beat. */
  unanswered(iteration: number, model: string | undefined, told: unknown, error?: string): void {
    const record = {
      iteration,
      ...(model !== undefined && { model }),
      attempts: attemptIn(told) ?? Math.max(1, spentIn(told)?.failedCalls ?? 1),
      ...timingIn(told),
      ...(error !== undefined && { error: wireText(error, MAX_ERROR_BYTES) }),
    };
    this.#add(record, new Map());
  }

  /** The transcript was compacted, or was to be. */
  compacted(record: CompactionRecord): void {
    this.#compactions.push(record);
  }

  /** The tries of a tool's activity ended, in whichever way; what comes of the call, `settled` hears. */
  ended(callId: string, { startedAt, attempt = 1, hooks = [] }: Tried): void {
    this.hooked(hooks);
    const before = this.#tried.get(callId);
    const lastStart = startedAt ?? before?.startedAt;
    const attempts = attempt + (before?.attempts ?? 0);
    this.#tried.set(callId, { attempts, ...(lastStart !== undefined && { startedAt: lastStart }) });
  }

  /** Hooks have done something in the last step. */
  hooked(hooks: readonly HookRecord[]): void {
    const last = this.#steps.at(-1);
    if (last && hooks.length > 0) last.record.hooks = [...(last.record.hooks ?? []), ...hooks];
  }

  /** A call is a turn of its own; told at its start, and again at its end. */
  subAgent(callId: string, step: SubAgentStep): void {
    this.#subAgents.set(callId, step);
  }

  /** A tool call has its result. */
  settled({ callId, name, status, cause, durationMs, content }: ToolResultBlock): void {
    const calls = this.#steps.at(-1)?.calls;
    if (!calls?.has(callId)) return;
    const { startedAt, attempts = 1 } = this.#tried.get(callId) ?? {};
    const subAgent = this.#subAgents.get(callId);
    calls.set(callId, {
      ...{ id: callId, name, status },
      ...(cause && { cause }),
      ...(attempts > 1 && { attempts }),
      ...(startedAt !== undefined && { startedAt }),
      ...(durationMs !== undefined && { durationMs }),
      ...(status !== 'ok' && { error: wireText(textIn(content), MAX_ERROR_BYTES) }),
      ...(subAgent && { subAgent }),
    });
  }

  /** A call that has no result yet is not among them. */
  list(): TurnStep[] {
    return this.#steps.map(({ record, calls }) => ({
      ...record,
      calls: [...calls.values()].filter((call) => call !== undefined),
    }));
  }

  /** All of them, or undefined where they take too much for an outcome. */
  bounded(): TurnStep[] | undefined {
    if (this.#isCut) return undefined;
    const steps = this.list();
    return jsonBytes(steps) <= MAX_STEPS_BYTES ? steps : undefined;
  }

  /** A call that is made again, because the interrupt that had cut it was lost, is one step. */
  #add(record: Step['record'], calls: Step['calls']): void {
    const last = this.#steps.at(-1);
    const before = last?.record.iteration === record.iteration ? this.#steps.pop() : undefined;
    const attempts = record.attempts + (before?.record.attempts ?? 0);
    const compactions = [...(before?.record.compactions ?? []), ...this.#compactions.splice(0)];
    this.#steps.push({
      record: { ...record, attempts, ...(compactions.length > 0 && { compactions }) },
      calls,
    });
  }
}

function textIn(content: ToolResultBlock['content']): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Which try it was, by what its end tells; those before it are counted where an old worker did not say so. */
export function attemptIn(told: unknown): number | undefined {
  const { attempt } = (typeof told === 'object' && told !== null ? told : {}) as Record<string, unknown>;
  return typeof attempt === 'number' ? attempt : undefined;
}

/** Of an activity's result, of the details of its failure or cancellation, of a heartbeat. */
export function timingIn(told: unknown): Timing {
  if (typeof told !== 'object' || told === null) return {};
  const { startedAt, durationMs } = told as Record<string, unknown>;
  return {
    ...(typeof startedAt === 'string' && { startedAt }),
    ...(typeof durationMs === 'number' && { durationMs }),
  };
}
