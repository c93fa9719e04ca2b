import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  patched,
  proxyActivities,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedRunningTurn } from '../../shared/carried-session.js';
import type { CompactRequest } from '../../shared/compaction/settings.js';
import {
  COMPACT,
  INTERRUPT,
  STEER,
  type SteerMessage,
  type StopRequest,
} from '../../shared/interventions.js';
import { shownPrompt } from '../../shared/prompt-parts.js';
import {
  COLLECT_TURN,
  type CollectedTurn,
  type CollectTurnInput,
  type EndedTurn,
} from '../../shared/session-activities.js';
import type { QueueItem } from '../../shared/session-queue.js';
import { startedBefore } from '../../shared/session-requests.js';
import { TURN_WORKFLOW, type TurnOutcome, WORKFLOW_TASK_TIMEOUT } from '../../shared/turn.js';
import type { TurnInput } from '../../shared/turn-input.js';
import { wireLine, wireText } from '../../shared/wire-text.js';
import { continueInNextRun, isNextRunDue } from './next-run.js';
import type { SessionRun } from './session-run.js';

type CollectActivities = { [COLLECT_TURN](input: CollectTurnInput): Promise<CollectedTurn> };

const NOT_TO_OTHERS = 'no-signals-to-workflows-of-others';

/** It is tried until it succeeds: what a turn has added must not be lost. */
const COLLECT_OPTIONS = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;
/** After its word a turn has no more to do than to end. */
const END_MS = 15_000;
/** Of its answer in the signal that tells of its end; the session reads the whole. */
const WORD_BYTES = 10_000;
const FIRST_PROBE_MS = 30_000;
/** After its word, where it had not ended in time: its worker has died, or has much to do. */
const PROBE_AFTER_WORD_MS = 2000;
const LAST_PROBE_MS = 3_600_000;

/** The turn that runs, started by this run of the session's workflow or by one before. */
export class LiveTurn {
  readonly #run: SessionRun;
  readonly #turn: CarriedRunningTurn;
  /** An earlier run has started it, so that Temporal does not tell this one of its end. */
  readonly isAdopted: boolean;
  /** Resolves once it has started, with what is wrong where it has not. */
  readonly refused: Promise<string | undefined>;
  /** When to look whether it has ended: it has told so, or somebody wants to know. */
  heard: 'its word' | 'a question' | undefined;

  private constructor(run: SessionRun, turn: CarriedRunningTurn, item?: QueueItem) {
    this.#run = run;
    this.#turn = turn;
    this.isAdopted = item === undefined;
    this.heard = turn.heard && 'its word';
    this.refused = item ? this.#start(item) : Promise.resolve(undefined);
  }

  static start(run: SessionRun, item: QueueItem): LiveTurn {
    const { prompt: _prompt, attachments: _attachments, ...request } = item.request;
    const startedAt = new Date(Date.now()).toISOString();
    const { id } = item;
    const turn = { turnId: run.turnIdOf(id), id, agent: request.agent, startedAt, request, steers: [] };
    return new LiveTurn(run, turn, item);
  }

  static adopt(run: SessionRun, turn: CarriedRunningTurn): LiveTurn {
    return new LiveTurn(run, turn);
  }

  get turnId(): string {
    return this.#turn.turnId;
  }

  /** Of its message. */
  get id(): string {
    return this.#turn.id;
  }

  get agent(): string {
    return this.#turn.agent;
  }

  get request(): CarriedRunningTurn['request'] {
    return this.#turn.request;
  }

  get steers(): readonly SteerMessage[] {
    return this.#turn.steers;
  }

  carried(): CarriedRunningTurn {
    return { ...this.#turn, ...(this.heard === 'its word' && { heard: true as const }) };
  }

  async #start(item: QueueItem): Promise<string | undefined> {
    const input = this.#input(item);
    try {
      const child = await startChild<(input: TurnInput) => Promise<TurnOutcome>>(TURN_WORKFLOW, {
        workflowId: this.turnId,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: wireLine(`${this.agent}: ${shownPrompt(input)}`),
        staticDetails: wireText(shownPrompt(input), 2000),
        ...(input.tenant !== undefined && { priority: { fairnessKey: input.tenant } }),
      });
      child.result().then(this.hear, this.hear);
      return undefined;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return startedBefore(this.turnId);
    }
  }

  #input({ id, request, ended }: QueueItem): TurnInput {
    const { workflowId } = workflowInfo();
    const parent = { workflowId, callId: id, maxResultBytes: WORD_BYTES, isSession: true as const };
    return { v: 1, ...request, parent, ...this.#run.givenTo(this.agent), ...(ended && { ended }) };
  }

  /** It has told of its end, in whichever way. */
  readonly hear = (): void => {
    this.heard = 'its word';
  };

  /** Somebody waits for it: where nothing tells this run of its end, it is looked after at once. */
  ask(): void {
    if (this.isAdopted) this.heard ??= 'a question';
  }

  interrupt(request: Omit<StopRequest, 'v'>): void {
    this.passOn(INTERRUPT, { v: 1, ...request });
  }

  /** Whether it was in time shows at the turn's end. */
  steer(message: SteerMessage): void {
    this.#turn.steers.push(message);
    this.passOn(STEER, { v: 1, ...message });
  }

  /** Before its next model call; where there is none, the session does it. */
  compact({ id, by, focus }: CompactRequest, hasId: boolean): void {
    this.#turn.compact = { ...(focus !== undefined && { focus }) };
    const from = { ...(hasId && { id }), ...(by !== undefined && { by }) };
    this.passOn(COMPACT, { v: 1, ...from, ...this.#turn.compact });
  }

  get askedCompaction(): CarriedRunningTurn['compact'] {
    return this.#turn.compact;
  }

  /** By signal, and not before it has started. One that can't be delivered tells that the turn has ended. */
  passOn(signal: string, argument: unknown): void {
    this.#run.onTheirWay += 1;
    // The workflow that has its id in its place is somebody else's.
    const send = (refused: string | undefined) =>
      refused === undefined || !patched(NOT_TO_OTHERS)
        ? getExternalWorkflowHandle(this.turnId).signal(signal, argument)
        : undefined;
    // After a cancel, too, which is itself something to pass on.
    CancellationScope.nonCancellable(() => this.refused.then(send))
      .catch(this.hear)
      .finally(() => {
        this.#run.onTheirWay -= 1;
      });
  }

  /** Messages that no model call has seen: the session's own, then those that others have sent. */
  undelivered({ delivered, undelivered }: EndedTurn): SteerMessage[] {
    const taken = new Set(delivered);
    const own = this.steers.filter(({ id }) => !taken.has(id));
    const others = undelivered.filter(({ id }) => !this.steers.some((steer) => steer.id === id));
    return [...own, ...others];
  }
}

/** How the turn has ended, and what it leaves. May go on in a new run of the session meanwhile. */
export async function collected(run: SessionRun, turn: LiveTurn): Promise<EndedTurn> {
  const { [COLLECT_TURN]: collectTurn } = proxyActivities<CollectActivities>({
    ...COLLECT_OPTIONS,
    summary: wireLine(`what ${turn.turnId} has added`),
  });
  let probeMs = FIRST_PROBE_MS;
  for (;;) {
    const isTime = () => turn.heard !== undefined || isNextRunDue(run);
    const isAsked = await (turn.isAdopted ? condition(isTime, probeMs) : condition(isTime));
    if (!turn.heard && isNextRunDue(run)) await continueInNextRun(run);
    const hasTold = turn.heard === 'its word';
    const waitMs = hasTold ? END_MS : 0;
    // A question does not put off the next look.
    if (hasTold) probeMs = PROBE_AFTER_WORD_MS;
    else if (isAsked === false) probeMs = Math.min(2 * probeMs, LAST_PROBE_MS);
    turn.heard = undefined;
    const { base, compacted } = run.transcript;
    const answer = await collectTurn({
      ...{ v: 1, turnId: turn.turnId, keepTranscript: run.input.keepTranscript ?? true, waitMs },
      ...(base && { base }),
      ...(compacted && { compacted }),
    });
    if (answer.ended) return answer;
    // It is in this run's history.
    run.steps += 1;
  }
}
