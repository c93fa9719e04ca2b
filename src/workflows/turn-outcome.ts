import type { SteerMessage } from '../shared/interventions.js';
import { jsonBytes } from '../shared/json.js';
import type { TurnOutcome } from '../shared/turn.js';
import { boundedText } from '../shared/wire-text.js';
import type { Ending } from './interventions.js';
import type { TurnRun } from './turn-run.js';

// A payload may take 2 MB, whatever a prompt or a model makes of it: what is longer is in the event history.
const TEXT_BYTES = 500_000;
const OPENING_BYTES = 500_000;

type End = { ending?: Ending; undelivered: SteerMessage[] };

/** Of a turn that is over: its workflow's result, or, where it failed, what the failure tells. */
export function outcomeOf(
  run: TurnRun,
  type: TurnOutcome['type'],
  { ending, undelivered }: End,
): TurnOutcome {
  const { input, settings } = run;
  const messages = run.transcript.delta();
  // Before the first reply the settings are not known: then there is little but the prompt.
  const mostBytes = settings?.inlineResultBytes ?? OPENING_BYTES;
  // A parent's history is not to have them, too; whoever asks this turn reads them from its own.
  const fits = !input.parent && messages && jsonBytes(messages) <= mostBytes;
  const steps = fits && run.steps.bounded();
  const text = (type === 'completed' ? run.output.text : undefined) ?? run.lastText;
  return {
    v: 1,
    type,
    turnId: run.turnId,
    agent: input.agent,
    version: settings?.version ?? input.version ?? '',
    text: boundedText(text, TEXT_BYTES),
    ...run.output.of(type),
    iterations: run.iteration,
    usage: run.usage,
    messageCount: run.transcript.added,
    ...run.artifacts.told(),
    ...(fits && { messages }),
    ...(steps && { steps }),
    ...(run.compaction.summary && { summary: run.compaction.summary }),
    ...(type === 'interrupted' && ending && ending.kind !== 'time_limit' && { intervention: ending }),
    ...(type === 'budget_exceeded' && run.guards.told(ending?.kind === 'time_limit')),
    ...(undelivered.length > 0 && { undelivered }),
  };
}
