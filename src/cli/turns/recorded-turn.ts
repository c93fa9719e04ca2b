import type { Client } from '@temporalio/client';
import { readHistory } from '../../client/read-history.js';
import type { NamedArtifact } from '../../shared/artifact-names.js';
import { summaryOfBlock } from '../../shared/call-summary.js';
import type { CompactionRecord } from '../../shared/compaction/settings.js';
import type { TurnEvent } from '../../shared/events.js';
import type { Message, ToolCallBlock, ToolResultBlock } from '../../shared/messages.js';
import { textOf, toolCallsOf } from '../../shared/messages.js';
import type { Usage } from '../../shared/usage.js';

export type RecordedCall = {
  id: string;
  name: string;
  summary: string;
  /** ISO 8601; absent where it has not been scheduled, or was answered without being run. */
  startedAt?: string;
  attempt?: number;
  result?: ToolResultBlock;
  /** The call is this turn. */
  subAgent?: { turnId: string };
};

/** One model call and the tool calls that it asked for. */
export type RecordedStep = {
  /** From 0. */
  iteration: number;
  startedAt: string;
  /** Absent while the model has not answered. */
  endedAt?: string;
  attempt?: number;
  model?: string;
  stopReason?: string;
  text?: string;
  usage?: Usage;
  /** Before it. */
  compactions?: CompactionRecord[];
  calls: RecordedCall[];
};

/** A turn as its event history tells it; no worker is asked. */
export type RecordedTurn = {
  agent: string;
  prompt: string;
  version?: string;
  model?: string;
  startedAt: string;
  endedAt?: string;
  lastSeq: number;
  messages: Message[];
  /** Where the turn's own messages begin. */
  deltaFrom: number;
  steps: RecordedStep[];
  pending: ToolCallBlock[];
  /** What its tools have given out by name; absent where that is nothing. */
  artifacts?: NamedArtifact[];
};

export async function recordedTurn(client: Client, workflowId: string): Promise<RecordedTurn> {
  const events: TurnEvent[] = [];
  const fold = await readHistory(client, workflowId, (event) => events.push(event));
  const started = events.find((event) => event.type === 'turn_started');
  const ended = events.find((event) => event.type === 'turn_ended');
  const { settings, messages, deltaFrom, seq } = fold;
  return {
    agent: started?.agent ?? '',
    prompt: started?.prompt ?? '',
    ...(settings && { version: settings.version, model: settings.model }),
    startedAt: started?.at ?? '',
    ...(ended && { endedAt: ended.at }),
    lastSeq: seq,
    messages,
    deltaFrom,
    steps: stepsOf(events),
    pending: fold.pending(),
    ...fold.artifacts.carried(),
  };
}

export function stepsOf(events: readonly TurnEvent[]): RecordedStep[] {
  const steps: RecordedStep[] = [];
  const compactions: CompactionRecord[] = [];
  const callOf = (id: string) => steps.at(-1)?.calls.find((call) => call.id === id);
  for (const event of events) {
    switch (event.type) {
      case 'compaction':
        compactions.push(event);
        break;
      case 'model_started': {
        // A call that was too long is made again.
        const again = steps.at(-1)?.iteration === event.iteration ? steps.pop() : undefined;
        const before = [...(again?.compactions ?? []), ...compactions.splice(0)];
        steps.push({
          ...{ iteration: event.iteration, startedAt: event.at, calls: [] },
          ...(before.length > 0 && { compactions: before }),
        });
        break;
      }
      case 'message':
        Object.assign(steps.at(-1) ?? {}, answered(event));
        break;
      case 'tool_started':
        Object.assign(callOf(event.callId) ?? {}, {
          ...{ startedAt: event.at, summary: event.summary },
          ...(event.subAgent && { subAgent: event.subAgent }),
        });
        break;
      case 'tool_finished':
        Object.assign(callOf(event.callId) ?? {}, { attempt: event.attempt, result: event.result });
        break;
      default:
    }
  }
  return steps;
}

function answered({
  at,
  attempt,
  message,
  usage,
}: Extract<TurnEvent, { type: 'message' }>): Partial<RecordedStep> {
  const text = textOf(message);
  return {
    endedAt: at,
    attempt,
    ...(message.model !== undefined && { model: message.model }),
    ...(message.stopReason !== undefined && { stopReason: message.stopReason }),
    ...(text !== '' && { text }),
    ...(usage && { usage }),
    calls: toolCallsOf(message).map((call) => ({
      id: call.id,
      name: call.name,
      summary: summaryOfBlock(call),
    })),
  };
}
