import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
} from '@temporalio/workflow';
import type { InterruptedReply } from '../shared/activities.js';
import type { CarriedCompaction } from '../shared/carried.js';
import { ContextSize } from '../shared/compaction/context-size.js';
import { isSummary } from '../shared/compaction/exchanges.js';
import type {
  CompactionRecord,
  CompactionSettings,
  CompactionTrigger,
  SummaryMessage,
} from '../shared/compaction/settings.js';
import {
  COMPACT_TRANSCRIPT,
  type CompactInput,
  type CompactReply,
  problemLine,
  type TooLongReply,
} from '../shared/compaction/wire.js';
import type { TurnState } from '../shared/turn.js';
import type { TurnSettings } from '../shared/turn-settings.js';
import { addFailed, noUsage, spentIn } from '../shared/usage.js';
import { wireLine } from '../shared/wire-text.js';
import type { Interventions } from './interventions.js';
import { lastWord } from './last-word.js';
import { MODEL_RETRY } from './model-retry.js';
import type { Transcript } from './transcript.js';
import type { TurnRun } from './turn-run.js';

type CompactActivities = {
  [COMPACT_TRANSCRIPT](input: CompactInput): Promise<CompactReply | InterruptedReply>;
};

/** What a turn knows of its transcript's size, and of what was done about it. */
export class TurnCompaction {
  readonly size = new ContextSize();
  /** How often it has become smaller. */
  count = 0;
  summary: SummaryMessage | undefined;
  isRunning = false;
  /** How often it was tried in this run of the workflow: activities need ids of their own. */
  tries = 0;

  resume(carried: CarriedCompaction | undefined, transcript: Transcript): void {
    this.size.resume(carried?.size, transcript);
    this.count = carried?.count ?? 0;
    this.summary = carried?.summary;
  }

  carried({ compaction }: TurnSettings, transcript: Transcript): { compaction?: CarriedCompaction } {
    if (!compaction) return {};
    const size = this.size.carried(transcript, compaction);
    return { compaction: { size, count: this.count, ...(this.summary && { summary: this.summary }) } };
  }

  /** `record.after` counts from now on. */
  take(
    { record, pieces }: Pick<CompactReply, 'record' | 'pieces'>,
    settings: CompactionSettings,
    transcript: Transcript,
  ): void {
    if (pieces) {
      transcript.compact(pieces);
      this.count += 1;
      this.summary = transcript.messages.find(isSummary) ?? this.summary;
    }
    this.size.compacted(record, settings, transcript);
  }

  state(settings: CompactionSettings | undefined, transcript: Transcript): Pick<TurnState, 'context'> {
    if (!settings) return {};
    const { window } = settings;
    return {
      context: {
        tokens: this.size.tokens(transcript, settings),
        ...(window !== undefined && { window }),
        compactions: this.count,
        ...(this.isRunning && { compacting: true as const }),
      },
    };
  }
}

/** Before a model call: whether somebody asks for it, or the transcript is near to the model's window. */
export function isCompactionDue(
  { settings, transcript, compaction }: TurnRun,
  interventions: Interventions,
): boolean {
  if (!settings?.compaction) return false;
  return interventions.isCompactAsked || compaction.size.isDue(transcript, settings.compaction);
}

export async function compactAsDue(run: TurnRun, interventions: Interventions): Promise<void> {
  const asked = interventions.takeCompact();
  const record = await compact(run, interventions, asked ? 'asked' : 'window', { focus: asked?.focus });
  if (!asked) return;
  if (record) interventions.compacted(asked, record.problem);
  else interventions.tooLate(asked);
}

/** How often a model call was too long so far; `problem`: why the transcript has not become smaller since the last time. */
export type Refusals = { times: number; problem?: string };

/** A model call was too long. It may be that again where the transcript has become smaller. */
export async function compactTooLong(
  run: TurnRun,
  interventions: Interventions,
  { trigger, spent, ...told }: TooLongReply,
  { times }: Refusals,
): Promise<Refusals> {
  run.takeSettings(told);
  run.countSpent(spent ?? noUsage);
  run.unanswered(told);
  const settings = run.settings?.compaction;
  const last = { times: Number.POSITIVE_INFINITY };
  if (!settings) return last;
  const known = run.compaction.size.tokens(run.transcript, settings);
  // The provider knows better.
  const tokens = trigger === 'too_long' ? Math.max(known, settings.window ?? 0) : known;
  const record = await compact(run, interventions, trigger, { tokens });
  if (record?.method !== undefined || trigger === 'window') return { times: times + 1 };
  return { ...last, ...(record?.problem !== undefined && { problem: record.problem }) };
}

/**
 * Makes the transcript smaller, if that is possible. What fails, or gives nothing, changes nothing: the turn goes on as it
 * is. Returns what came of it, or undefined where an interrupt cut it. `tokens`: what it takes, where that is known.
 */
async function compact(
  run: TurnRun,
  interventions: Interventions,
  trigger: CompactionTrigger,
  { focus, tokens }: { focus?: string | undefined; tokens?: number } = {},
): Promise<CompactionRecord | undefined> {
  const { settings, transcript, compaction } = run;
  if (!settings?.compaction) return undefined;
  const before = tokens ?? compaction.size.tokens(transcript, settings.compaction);
  const work = proxy(run, settings.compaction, trigger)[COMPACT_TRANSCRIPT]({
    v: 1,
    agent: settings.agent,
    version: settings.version,
    turnId: run.turnId,
    iteration: run.iteration,
    transcript: transcript.ref(),
    packed: transcript.packed?.count ?? 0,
    trigger,
    tokens: before,
    settings: settings.compaction,
    model: settings.model,
    ...(focus !== undefined && { focus }),
    ...(run.input.metadata && { metadata: run.input.metadata }),
  });
  compaction.isRunning = true;
  run.show();
  const { value, fault } = await interventions.waitFor(work, settings.settleMs);
  compaction.isRunning = false;
  if (value && !('interrupted' in value)) {
    run.compacted(value, settings.compaction);
    return value.record;
  }
  const abandoned = fault ? noUsage : addFailed(noUsage, 'unknown');
  run.countSpent(value?.spent ?? spentIn(lastWord(fault)) ?? abandoned);
  if (interventions.interrupted) return undefined;
  const record = { trigger, before, after: before, problem: problemOf(fault) };
  run.compacted({ record }, settings.compaction);
  return record;
}

function problemOf(fault: unknown): string {
  const cause = fault instanceof ActivityFailure ? fault.cause : fault;
  const type = cause instanceof ApplicationFailure && cause.type ? `${cause.type}: ` : '';
  return problemLine(`${type}${cause instanceof Error ? cause.message : 'It was interrupted.'}`);
}

function proxy(
  run: TurnRun,
  { timeoutMs, attempts }: CompactionSettings,
  trigger: CompactionTrigger,
): CompactActivities {
  const { iteration, input, compaction } = run;
  return proxyActivities<CompactActivities>({
    activityId: `i${iteration}.compact-${++compaction.tries}`,
    summary: wireLine(`compacts the transcript · before call ${iteration + 1}`),
    // Of one try: no worker may be there for longer.
    startToCloseTimeout: timeoutMs,
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Without it the turn would fail: it is as patient as the model call. A replay compares neither of them.
    retry:
      trigger === 'too_long'
        ? MODEL_RETRY
        : { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: attempts },
    ...(input.tenant !== undefined && { priority: { fairnessKey: input.tenant } }),
  });
}
