import { ApplicationFailure } from '@temporalio/activity';
import type { CallModelInput } from '../shared/activities.js';
import { planCompaction } from '../shared/compaction/plan.js';
import type { CompactionSettings } from '../shared/compaction/settings.js';
import { tokensOfAll } from '../shared/compaction/tokens.js';
import type { TooLongReply } from '../shared/compaction/wire.js';
import type { Message } from '../shared/messages.js';
import { ModelError } from '../shared/model-port.js';
import type { Tries } from './tries.js';

const TYPE = 'Model.ContextTooLong';

/** Before the first model call of a turn: why no provider is to be asked before its opening was compacted. */
export function longOpening(
  { compacts }: CallModelInput,
  messages: readonly Message[],
  settings: CompactionSettings | undefined,
): ModelError | undefined {
  if (!settings?.automatic || !compacts || settings.window === undefined) return undefined;
  const { window, at, to, rates, overheadTokens } = settings;
  const tokens = overheadTokens + tokensOfAll(messages, rates);
  if (tokens < window * at) return undefined;
  const room = window * to - overheadTokens;
  if (!planCompaction(messages, { trigger: 'window', room, rates })) return undefined;
  const text = `The opening takes about ${tokens} tokens of the model's window of ${window}.`;
  return new ModelError(TYPE, text, { retryable: false });
}

/** What the workflow is told of a model call that was too long, where it can do something about it; else throws. */
export function tooLongReply(
  error: unknown,
  { compacts }: CallModelInput,
  { automatic, opening }: { automatic: boolean; opening: ModelError | undefined },
  tries: Tries,
): TooLongReply {
  const isTooLong = error instanceof ApplicationFailure && error.type === TYPE;
  if (!isTooLong || !compacts || !automatic) throw error;
  const spent = opening ? tries.spentBefore : tries.spentWith(undefined);
  return {
    v: 1,
    tooLong: error.message,
    trigger: opening ? 'window' : 'too_long',
    ...tries.told,
    ...(spent && { spent }),
  };
}
