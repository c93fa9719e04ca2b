import {
  ActivityCancellationType,
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { SEAL_TRANSCRIPT, type SealedTranscript, type SealTranscriptInput } from '../shared/activities.js';
import type { CarriedTurn, TranscriptSegment } from '../shared/carried.js';
import { jsonBytes } from '../shared/json.js';
import type { TurnInput } from '../shared/turn-input.js';
import type { TurnSettings } from '../shared/turn-settings.js';
import type { Interventions } from './interventions.js';
import type { TurnRun } from './turn-run.js';

type SealActivities = { [SEAL_TRANSCRIPT](input: SealTranscriptInput): Promise<SealedTranscript> };

const { [SEAL_TRANSCRIPT]: sealTranscript } = proxyActivities<SealActivities>({
  summary: 'packs the transcript for the next run',
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { maximumAttempts: 2 },
});

/** Of what an agent's transcript may take: what is carried over is in the history twice. */
const CARRIED_SHARE = 0.5;
/** Of what is carried over beside the transcript: steers, receipts, a text, settings. */
const OTHER_BYTES = 350_000;
/** Steering messages that take more than this wait for the next model call, rather than be carried over. */
const CARRIED_STEER_BYTES = 100_000;
/** A workflow's input may take 2 MB; where the prompt leaves no room, the turn stays in its run. */
const INPUT_BYTES = 1_900_000;

/** This run's event history has got long, and what is to be carried over is not too much. */
export function isNextRunDue(run: TurnRun, interventions: Interventions): boolean {
  const when = run.settings?.continueAsNew;
  if (!when || run.iterationsOfRun < run.nextRunFrom) return false;
  const isSuggested = workflowInfo().continueAsNewSuggested;
  if (!isSuggested && run.iterationsOfRun < (when.iterations ?? Number.POSITIVE_INFINITY)) return false;
  return interventions.waitingBytes <= CARRIED_STEER_BYTES;
}

/**
 * Goes on in a new run of the workflow; to be called between two rounds, where nothing runs. It returns where the turn
 * is to end, or where the transcript could not be packed: then the turn goes on here, and tries again later.
 */
export async function continueInNextRun(run: TurnRun, interventions: Interventions): Promise<void> {
  const { settings } = run;
  if (!settings?.continueAsNew) return;
  run.makeRoom(CARRIED_SHARE);
  const segments = await pack(run, settings.continueAsNew, settings.settleMs, interventions);
  if (segments === 'failed') run.nextRunFrom = run.iterationsOfRun + settings.continueAsNew.retryAfter;
  // Messages may have come while it was packed.
  if (segments === 'failed' || interventions.ending || !isNextRunDue(run, interventions)) return;
  await condition(allHandlersFinished);
  // What the caller handed in is in the transcript by now.
  const {
    transcript: _transcript,
    instructions: _instructions,
    attachments: _attachments,
    earlier: _earlier,
    ...input
  } = run.input;
  const carried = run.carried(settings, segments, interventions.carried());
  if (jsonBytes([input, carried]) > INPUT_BYTES) {
    run.nextRunFrom = run.iterationsOfRun + settings.continueAsNew.retryAfter;
    return;
  }
  // Last, and only where there is room: a turn goes on in a new run with or without them.
  const steps = run.steps.bounded();
  const whole = { ...carried, ...(steps && { steps }) };
  await continueAsNew<(input: TurnInput, carried: CarriedTurn) => Promise<unknown>>(
    input,
    jsonBytes([input, whole]) > INPUT_BYTES ? carried : whole,
  );
}

/** Undefined where the transcript is small enough to be passed on as it is. */
async function pack(
  run: TurnRun,
  { plainBytes, packedBytes }: NonNullable<TurnSettings['continueAsNew']>,
  settleMs: number,
  interventions: Interventions,
): Promise<TranscriptSegment[] | 'failed' | undefined> {
  const { transcript } = run;
  const room = INPUT_BYTES - jsonBytes(run.input.prompt) - OTHER_BYTES;
  if (!transcript.packed && transcript.bytes() <= Math.min(plainBytes, room)) return undefined;
  const sealing = sealTranscript({
    v: 1,
    transcript: transcript.ref(),
    from: transcript.packed?.count ?? 0,
    segments: transcript.packed?.segments ?? [],
    inlineBytes: packedBytes,
  });
  const { value } = await interventions.waitFor(sealing, settleMs);
  return value?.segments ?? 'failed';
}
