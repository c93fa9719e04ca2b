export {
  type Attempts,
  attempts,
  type Fault,
  type FaultOptions,
  fault,
  type RawAnswer,
  type RawOptions,
  type ReplyOptions,
  rawBytes,
  rawChunks,
  reasoning,
  reply,
  type Script,
  type ScriptEntry,
  type ScriptedAnswer,
  type ScriptedPart,
  type ScriptedReply,
  text,
  toolCall,
} from './script.js';
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.js';
export {
  type ReceivedRequest,
  type ReceivedResponsesRequest,
  type ServedModel,
  type ServeOptions,
  serveScriptedModel,
} from './serve-scripted-model.js';
export type { ApprovalRequest, StandIn } from './stand-in.js';
export { type RunningWorker, testPlace, withWorker } from './test-environment.js';
export { replay, type TestedTurn, type TestTurnOptions, testTurn } from './test-turn.js';
