import { ApplicationFailure } from '@temporalio/activity';
import type { Budget } from '../shared/limits.js';
import { type Model, ModelError } from '../shared/model-port.js';
import type { Usage } from '../shared/usage.js';
import { wireText } from '../shared/wire-text.js';

const TYPE = 'Model.NotCounted';

/** Throws `Model.NotCounted`, before anything is spent, where it is known that a limit of costs could not be held. */
export function refuseUnpriced(model: Model, name: string, { costUsd }: Budget): void {
  const unpriced = costUsd === undefined ? undefined : model.unpriced?.(name);
  if (unpriced === undefined) return;
  const message = textOf('limits.cost', `the model "${unpriced}" has no price`);
  throw new ModelError(TYPE, message, { retryable: false });
}

/** Throws `Model.NotCounted` where the first reply does not tell what a limit counts: no later one would. */
export function refuseUncounted(usage: Usage | undefined, name: string, { tokens, costUsd }: Budget): void {
  if (tokens !== undefined && usage?.inputTokens === undefined) {
    throw notCounted('limits.tokens', `the reply of "${name}" does not tell how many tokens it took`);
  }
  if (costUsd !== undefined && usage?.costUsd === undefined) {
    throw notCounted('limits.cost', `what the reply of "${name}" has cost is not known`);
  }
}

function notCounted(limit: string, why: string): ApplicationFailure {
  return ApplicationFailure.create({ type: TYPE, message: textOf(limit, why), nonRetryable: true });
}

function textOf(limit: string, why: string): string {
  const advice =
    limit === 'limits.cost'
      ? 'Give it a price with openai({ prices }) or HOLDFAST_PRICES, or take the limit away.'
      : 'Take the limit away, or limit the iterations.';
  return wireText(`${limit} can't be held: ${why}. ${advice}`);
}
