import type { Client } from '@temporalio/client';
import type { TurnEvent } from '../shared/events.js';
import { TurnFold } from '../shared/fold.js';
import { historyPages } from './history-pages.js';
import { RecordedSteps } from './recorded-steps.js';

/**
 * Rebuilds a turn from its event history alone, without a worker: how a transcript is read in a post-mortem. `tell` is
 * given each recorded event.
 */
export async function readHistory(
  client: Client,
  workflowId: string,
  tell?: (event: TurnEvent) => void,
): Promise<TurnFold> {
  const fold = new TurnFold();
  const steps = new RecordedSteps(client.options.loadedDataConverter, workflowId);
  for await (const events of historyPages(client, workflowId)) {
    for (const event of events) {
      const step = await steps.read(event);
      if (!step) continue;
      for (const recorded of fold.apply(step)) tell?.(recorded);
    }
  }
  return fold;
}
