import type { Agent } from '../define/define-agent.js';
import {
  CALL_MODEL,
  type CallModelInput,
  type InterruptedReply,
  type ModelReply,
  RECONCILE_TOOL,
  type RunToolInput,
  type RunToolResult,
} from '../shared/activities.js';
import type { Model } from '../shared/model-port.js';
import { versionProblem } from '../shared/version.js';
import type { Agents } from './agents.js';
import { callModel } from './call-model.js';
import type { Interrupts } from './interrupts.js';
import { reconcileTool, runTool } from './run-tool.js';
import type { TranscriptReader } from './transcript-reader.js';

type Activity = (input: never) => Promise<ModelReply | InterruptedReply | RunToolResult>;

/**
 * What a worker registers: the model call, and under each tool's name the one activity that runs tools. A type is
 * only a label for people; what to run is found by agent, version and tool from the input. `default` takes the rest.
 */
export function holdfastActivities(
  agents: Agents,
  modelFor: (agent: Agent) => Model,
  transcripts: TranscriptReader,
  interrupts: Interrupts,
): Record<string, Activity> {
  const tool = (input: RunToolInput) => runTool(agents, interrupts, readable('tool call', input));
  return {
    ...Object.fromEntries(agents.toolNames().map((name) => [name, tool])),
    default: tool,
    [CALL_MODEL]: (input: CallModelInput) =>
      callModel(agents, modelFor, transcripts, interrupts, readable('model call', input)),
    [RECONCILE_TOOL]: (input: RunToolInput) => reconcileTool(agents, readable('tool call', input)),
  };
}

/** An older worker must not run what a newer one has written: it passes it on, by failing this attempt. */
function readable<Input>(what: string, input: Input): Input {
  const problem = versionProblem(what, input);
  if (problem) throw new TypeError(problem);
  return input;
}
