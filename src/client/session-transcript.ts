import { randomUUID } from 'node:crypto';
import { ActivityFailure, type Client, WorkflowFailedError } from '@temporalio/client';
import type { TranscriptBase, TranscriptSegment } from '../shared/carried.js';
import type { Message } from '../shared/messages.js';
import {
  READ_MESSAGES_WORKFLOW,
  type ReadMessages,
  type ReadMessagesInput,
} from '../shared/session-activities.js';
import { heldMessages } from './carried-messages.js';

/** Temporal warns of payloads of 512 KB. */
const PAGE_BYTES = 400_000;

/** The messages of a base. What is in the workers' artifact store a worker reads, a page at a time. */
export async function* packedMessages(
  client: Client,
  taskQueue: string,
  base: TranscriptBase,
): AsyncGenerator<Message, void, undefined> {
  for (const segment of base.segments) {
    yield* (await heldMessages(segment)) ?? keptMessages(client, taskQueue, segment);
  }
}

async function* keptMessages(
  client: Client,
  taskQueue: string,
  segment: TranscriptSegment,
): AsyncGenerator<Message, void, undefined> {
  for (let from = 0; from < segment.count; ) {
    const input: ReadMessagesInput = { v: 1, segment, from, maxBytes: PAGE_BYTES };
    const { messages } = await read(client, taskQueue, input);
    yield* messages;
    if (messages.length === 0) return;
    from += messages.length;
  }
}

async function read(client: Client, taskQueue: string, input: ReadMessagesInput): Promise<ReadMessages> {
  try {
    return await client.workflow.execute<(input: ReadMessagesInput) => Promise<ReadMessages>>(
      READ_MESSAGES_WORKFLOW,
      { workflowId: `holdfast.readMessages/${randomUUID()}`, taskQueue, args: [input] },
    );
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const why = cause instanceof ActivityFailure ? cause.cause : cause;
    throw new Error(`Messages of the session can't be read. ${why?.message ?? ''}`, { cause: error });
  }
}
