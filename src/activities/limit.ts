import type { Model } from '../shared/model-port.js';
import { Limiter, type ModelLimits } from './openai/limiter.js';
import { checkNumbers } from './openai/numbers.js';

/**
 * The model, with at most so many calls and tokens at a time in this process: the others wait in their order. One that
 * waits fails for it only where it outlasts its try, and in a `fallback` where the provider asks for a long wait. All
 * that uses the returned model shares the limits. Throws a TypeError for a limit below 1.
 */
export function limit(model: Model, limits: ModelLimits): Model {
  checkNumbers('limit', limits);
  const limiter = new Limiter();
  return {
    get name() {
      return model.name;
    },
    call: (request, context) => limiter.run(limits, request, context, () => model.call(request, context)),
    ...(model.unpriced && { unpriced: (name: string) => model.unpriced?.(name) }),
    ...(model.cancel && { cancel: async (id: string) => model.cancel?.(id) }),
    ...(model.prepare && { prepare: () => model.prepare?.() ?? Promise.resolve() }),
  };
}
