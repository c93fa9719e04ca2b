import { ApplicationFailure } from '@temporalio/common';
import { wireText } from '../shared/wire-text.js';
import type { Agents } from './agents.js';

// A model call has ten attempts, too: see the workflow's call-model.ts.
const RETRY_MS = 1000;
const LAST_ATTEMPT = 10;

/**
 * This worker lacks what the turn needs. Another worker on the queue may have it, so that it is tried again for
 * about ten seconds; then the turn fails, by name.
 */
export function notHere(
  type: 'Agent.NotHere' | 'Tool.NotHere',
  what: string,
  agents: Agents,
  attempt: number,
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: wireText(
      `No worker on this task queue has ${what}; this one serves: ${agents.describe()}. Start a worker that has it, or start the turn with another agent or task queue.`,
    ),
    nonRetryable: attempt >= LAST_ATTEMPT,
    nextRetryDelay: RETRY_MS,
  });
}
