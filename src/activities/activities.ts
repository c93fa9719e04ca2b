import {
  CALL_MODEL,
  type CallModelInput,
  CHECK_ANSWER,
  CHECK_CALL,
  CHECK_SUB_AGENT,
  type CheckAnswerInput,
  type CheckedAnswer,
  type CheckedCall,
  type InterruptedReply,
  KEEP_RESULT,
  type KeepResultInput,
  type ModelReply,
  type NoPlanReply,
  RECONCILE_TOOL,
  type RunToolInput,
  type RunToolResult,
  SEAL_TRANSCRIPT,
  type SealedTranscript,
  type SealTranscriptInput,
  SUB_AGENT_USAGE,
  type SubAgentUsage,
  type SubAgentUsageInput,
} from '../shared/activities.js';
import {
  COMPACT_TRANSCRIPT,
  type CompactInput,
  type CompactReply,
  type TooLongReply,
} from '../shared/compaction/wire.js';
import {
  AFTER_CALL,
  AFTER_TURN,
  type AfterCallInput,
  type AfterCallResult,
  type AfterTurnInput,
  type AfterTurnResult,
} from '../shared/hooks.js';
import {
  COLLECT_TURN,
  COMPACT_SESSION,
  type CollectedTurn,
  type CollectTurnInput,
  type CompactedSession,
  type CompactSessionInput,
  CUT_TRANSCRIPT,
  type CutTranscript,
  type CutTranscriptInput,
  READ_MESSAGES,
  type ReadMessages,
  type ReadMessagesInput,
} from '../shared/session-activities.js';
import { versionProblem } from '../shared/version.js';
import { callModel } from './call-model.js';
import { checkAnswer } from './check-answer.js';
import { checkSubAgentCall } from './check-sub-agent-call.js';
import { collectTurn } from './collect-turn.js';
import { compactSession } from './compact-session.js';
import { compactTranscript } from './compact-transcript.js';
import { afterCall, afterTurn } from './ended-hooks.js';
import { cutTranscript, readMessages } from './packed-messages.js';
import { checkCall, keepResult } from './remote-calls.js';
import { reconcileTool, runTool } from './run-tool.js';
import { sealTranscript } from './seal-transcript.js';
import type { ActivityServices } from './services.js';
import { subAgentUsage } from './sub-agent-usage.js';

type SessionAnswer = CollectedTurn | CompactedSession | CutTranscript | ReadMessages;
type Answer =
  | CheckedAnswer
  | CheckedCall
  | ModelReply
  | InterruptedReply
  | TooLongReply
  | NoPlanReply
  | RunToolResult
  | SealedTranscript
  | CompactReply
  | SubAgentUsage
  | SessionAnswer
  | AfterTurnResult
  | AfterCallResult;
type Activity = (input: never) => Promise<Answer>;

/**
 * What a worker registers: the model call, and under each tool's name the one activity that runs tools. A type is
 * only a label for people; what to run is found by agent, version and tool from the input. `default` takes the rest.
 */
export function holdfastActivities(services: ActivityServices): Record<string, Activity> {
  const tool = (input: RunToolInput) => runTool(services, readable('tool call', input));
  return {
    ...Object.fromEntries(services.agents.toolNames().map((name) => [name, tool])),
    default: tool,
    [CALL_MODEL]: (input: CallModelInput) => callModel(services, readable('model call', input)),
    [CHECK_ANSWER]: (input: CheckAnswerInput) => checkAnswer(services, readable('answer', input)),
    [RECONCILE_TOOL]: (input: RunToolInput) => reconcileTool(services, readable('tool call', input)),
    [CHECK_CALL]: (input: RunToolInput) => checkCall(services, readable('tool call', input)),
    [KEEP_RESULT]: (input: KeepResultInput) => keepResult(services, readable('result', input)),
    [CHECK_SUB_AGENT]: (input: RunToolInput) => checkSubAgentCall(services, readable('tool call', input)),
    [SEAL_TRANSCRIPT]: (input: SealTranscriptInput) =>
      sealTranscript(services, readable('transcript to pack', input)),
    [AFTER_TURN]: (input: AfterTurnInput) => afterTurn(services, readable('end of a turn', input)),
    [AFTER_CALL]: (input: AfterCallInput) => afterCall(services, readable('result', input)),
    [COLLECT_TURN]: (input: CollectTurnInput) => collectTurn(services, readable('question', input)),
    [CUT_TRANSCRIPT]: (input: CutTranscriptInput) => cutTranscript(services, readable('question', input)),
    [COMPACT_SESSION]: (input: CompactSessionInput) =>
      compactSession(services, readable('session to compact', input)),
    [READ_MESSAGES]: (input: ReadMessagesInput) => readMessages(services, readable('question', input)),
    [COMPACT_TRANSCRIPT]: (input: CompactInput) =>
      compactTranscript(services, readable('transcript to compact', input)),
    [SUB_AGENT_USAGE]: (input: SubAgentUsageInput) => subAgentUsage(readable('question', input)),
  };
}

/** An older worker must not run what a newer one has written: it passes it on, by failing this attempt. */
function readable<Input>(what: string, input: Input): Input {
  const problem = versionProblem(what, input);
  if (problem) throw new TypeError(problem);
  return input;
}
