import type { CompactionRecord, CompactionTrigger } from './compaction/settings.js';
import type { HookRecord } from './hooks.js';
import type { SteerMessage } from './interventions.js';
import type { Json } from './json.js';
import type { AssistantMessage, ToolResultBlock } from './messages.js';
import type { PersonDecision } from './people.js';
import type { OutcomeType } from './turn.js';
import type { Usage } from './usage.js';

/**
 * `seq` grows with each recorded event and survives a continue-as-new; a passing event (text, progress, a retry)
 * bears the `seq` of the recorded event before it. To come back after an event, ask for `{ after: seq }`.
 */
type EventBase = {
  v: 1;
  seq: number;
  turnId: string;
  /** Which model call of the turn, from 0. */
  iteration: number;
  /** Which try of the activity, from 1; 0 where none has begun: of a start, of a call that is scheduled. */
  attempt: number;
  /** ISO 8601. */
  at: string;
};

export type TurnEvent = EventBase &
  (
    | { type: 'turn_started'; agent: string; prompt: string }
    /** A message that was sent into the running turn has joined it. */
    | { type: 'steered'; steer: SteerMessage }
    | { type: 'model_started' }
    /** The transcript is made smaller before the model call: old tool results are cleared, or a summary is written. */
    | { type: 'compaction_started'; trigger: CompactionTrigger }
    /** Its end; without a `method` nothing was changed, and `problem` says why. */
    | ({ type: 'compaction' } & CompactionRecord)
    | { type: 'text_delta'; text: string; offset: number }
    /** The text of a failed attempt is withdrawn. */
    | { type: 'reset' }
    | { type: 'retry_waiting'; callId?: string; failure: { type: string; message: string }; untilAt?: string }
    /** The worker's own limits hold the model call back: `maxConcurrent`, `tokensPerMinute`. */
    | { type: 'limit_waiting'; untilAt?: string }
    /** `usage`: of this model call; what its failed tries cost is in the outcome's only. */
    | { type: 'message'; message: AssistantMessage; usage?: Usage }
    /** A person is to decide: `turn.approve(callId)` or `turn.deny(callId)`. `always`: what that would allow. */
    | {
        type: 'approval_requested';
        callId: string;
        name: string;
        summary: string;
        input: Json;
        why: string;
        always: string[];
      }
    /** A person is to answer: `turn.answer(callId, text)`. */
    | { type: 'question_asked'; callId: string; name: string; question: string; choices?: string[] }
    /** What counted of an approval or a question. */
    | { type: 'decided'; callId: string; name: string; decision: PersonDecision }
    /** `subAgent`: the call is a turn of its own. `until`: the turn sleeps until then, ISO 8601. */
    | {
        type: 'tool_started';
        callId: string;
        name: string;
        summary: string;
        subAgent?: { turnId: string };
        until?: string;
      }
    /**
     * What is recorded of a sub-agent's turn, between the start of its call and its end; a passing event. Whoever comes
     * back to a running one is told it from its start: `event.seq` tells what is known.
     */
    | { type: 'sub_agent'; callId: string; event: TurnEvent }
    | { type: 'tool_progress'; callId: string; text: string }
    | { type: 'tool_finished'; callId: string; name: string; result: ToolResultBlock }
    /** A hook did something: blocked a call, changed what was asked or answered, failed. */
    | ({ type: 'hook' } & HookRecord)
    | { type: 'turn_ended'; outcome: OutcomeType | 'failed' | 'canceled' | 'terminated' | 'timed_out' }
  );

/** An event before it has its place in the stream. */
export type NewEvent = TurnEvent extends infer Each
  ? Each extends TurnEvent
    ? Omit<Each, keyof EventBase>
    : never
  : never;

/** The event itself, or that of a sub-agent, however far down: `turnId` says of which turn it is. */
export function innermost(event: TurnEvent): TurnEvent {
  return event.type === 'sub_agent' ? innermost(event.event) : event;
}
