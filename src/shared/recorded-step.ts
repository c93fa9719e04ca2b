import type {
  CheckedAnswer,
  CheckedCall,
  ModelReply,
  NoPlanReply,
  OutputRequest,
  RunToolInput,
  RunToolResult,
} from './activities.js';
import type { CarriedTurn } from './carried.js';
import type { Compacted } from './compaction/compacted-view.js';
import type { CompactionRecord, CompactionTrigger } from './compaction/settings.js';
import type { TooLongReply } from './compaction/wire.js';
import type { HookRecord } from './hooks.js';
import type { SteerMessage } from './interventions.js';
import type { Message, ToolResultBlock } from './messages.js';
import type { TurnNote } from './notes.js';
import type { PeopleMemo } from './people.js';
import type { ToolEnd } from './settle.js';
import type { SleepMemo } from './sleep.js';
import type { SubAgentEnd } from './sub-agents.js';
import type { OutcomeType } from './turn.js';
import type { TurnInput } from './turn-input.js';

/** How a model call's activity ended; `told` is what the end tells of its tries. */
export type ModelEnd =
  | { kind: 'completed'; output: ModelReply }
  | { kind: 'failed'; type: string; text: string; told?: unknown }
  | { kind: 'canceled'; text: string; told?: unknown }
  /** It was too long, or the plan that it was to make did not come. */
  | { kind: 'passed_over'; output: TooLongReply | NoPlanReply };

/** `interrupted`: nothing came of it, and the turn does not go on. `made`: what it has made of the transcript that it was given. */
export type CompactionEnd = { record: CompactionRecord; interrupted?: true; made?: Compacted };

/** A signal or an accepted update that is a steer, as it came: its id may have come before. */
export type RecordedSteer = { kind: 'steer'; steer: SteerMessage };

/** What a turn's event history says, step by step, freed of Temporal's own forms. */
export type RecordedStep = { at: string } & (
  | {
      kind: 'started';
      turnId: string;
      firstRunId: string;
      input: TurnInput;
      /** Where the history of earlier runs is gone: what the first one that is left was given, and its messages. */
      carried?: CarriedTurn;
      earlier?: { messages: Message[]; deltaFrom: number };
    }
  | { kind: 'compaction_scheduled'; iteration: number; trigger: CompactionTrigger }
  | { kind: 'compaction_ended'; attempt: number; end: CompactionEnd }
  | {
      kind: 'model_scheduled';
      iteration: number;
      steers: string[];
      outputRequest?: OutputRequest;
      notes?: TurnNote[];
    }
  | RecordedSteer
  /** The workflow tells what people are asked, and what they have decided. */
  | { kind: 'people'; memo: PeopleMemo }
  | { kind: 'sleep'; memo: SleepMemo }
  | { kind: 'model_ended'; attempt: number; end: ModelEnd }
  | { kind: 'tool_scheduled'; activityType: string; input: RunToolInput }
  | { kind: 'tool_ended'; activityType: string; attempt: number; input: RunToolInput; end: ToolEnd }
  /** It ran as a local activity, of which the history has the end only. */
  | { kind: 'tool_ran'; attempt: number; output: RunToolResult }
  /** `answer`: undefined where the checks gave none. */
  | { kind: 'answer_checked'; callId: string; answer?: CheckedAnswer }
  /** A person has changed its arguments; `checked` is absent where no worker could look at them. */
  | { kind: 'sub_agent_checked'; callId: string; checked?: CheckedCall }
  | { kind: 'sub_agent_scheduled'; callId: string; turnId: string }
  /** There may be two of them, a signal and the child workflow's own end: the first counts. */
  | { kind: 'sub_agent_ended'; callId: string; turnId: string; end: SubAgentEnd }
  /** Hooks that ran in an activity of their own: after the turn, or after a call whose result the workflow makes. */
  | { kind: 'hooked'; hooks: HookRecord[]; result?: ToolResultBlock }
  | { kind: 'closed'; outcome: OutcomeType | 'failed' | 'canceled' | 'terminated' | 'timed_out' }
);
