import type { AnyTool } from '../define/define-agent.js';
import type { PlannedCall } from '../shared/activities.js';
import { artifactsIn, namesOf } from '../shared/artifact-names.js';
import { READ_ARTIFACT } from '../shared/artifacts.js';
import { notAlone } from '../shared/final-answer.js';
import { isJsonObject } from '../shared/json.js';
import type { AssistantMessage, Message } from '../shared/messages.js';
import type { ModelResponse } from '../shared/model-port.js';
import { invalidArguments, notCallableNow } from '../shared/tool-results.js';
import { callBlock, callIdsOf } from './call-block.js';
import { answeredBy, type Deciders, planCall } from './plan-call.js';
import { artifactIdIn, resolvedRead } from './read-artifact.js';
import { artifactNamed, artifactsOf, findArtifact } from './turn-artifacts.js';

type PlanOptions = Partial<Deciders> & {
  /** Makes ids of calls unique where earlier ones are not among the messages any more. */
  idSuffix?: string;
  /** None of its calls is to run. */
  withoutTools?: boolean;
};

const untouched: Deciders['before'] = async (_tool, _callId, input) => ({ input });

/**
 * Turns a provider's reply into a message of ours and says what is to be done with each of its tool calls: run it,
 * or answer it at once with what is wrong. Nothing that was not sent whole is ever run.
 */
export async function planReply(
  id: string,
  response: ModelResponse,
  tools: readonly AnyTool[],
  earlier: readonly Message[],
  {
    idSuffix = '',
    withoutTools = false,
    judge = async () => undefined,
    before = untouched,
  }: PlanOptions = {},
): Promise<{ message: AssistantMessage; calls: PlannedCall[] }> {
  const ids = { used: callIdsOf(earlier), suffix: idSuffix };
  const content: AssistantMessage['content'] = [];
  const calls: PlannedCall[] = [];
  const nameOf = namesOf(() => artifactsIn(earlier));
  for (const [index, part] of response.content.entries()) {
    if (part.type !== 'tool_call') {
      content.push({ ...part, id: `${id}.${index}`, text: part.text.toWellFormed() });
      continue;
    }
    const tool = findTool(part.name, tools);
    const block = callBlock(part, `${id}.${index}`, tool, ids);
    content.push(block);
    const call = withoutTools
      ? answeredBy(notCallableNow(block))
      : await planCall(block, tool, response, { tools, judge, before, nameOf });
    calls.push(resolveArtifact(call, earlier));
  }
  const { stopReason, model } = response;
  return { message: { role: 'assistant', id, content, stopReason, model }, calls: calls.map(answeredAlone) };
}

/** The tool of that very name, else the only one whose name differs in nothing but case. */
function findTool(name: string, tools: readonly AnyTool[]): AnyTool | undefined {
  const exact = tools.find((tool) => tool.name === name);
  if (exact) return exact;
  const folded = tools.filter((tool) => tool.name.toLowerCase() === name.toLowerCase());
  return folded.length === 1 ? folded[0] : undefined;
}

/** A model reads artifacts of its own transcript and no others, whatever hash it may know or guess. */
function resolveArtifact(call: PlannedCall, earlier: readonly Message[]): PlannedCall {
  if (call.do !== 'run' || call.name !== READ_ARTIFACT || !isJsonObject(call.input)) return call;
  const id = artifactIdIn(call.input);
  const found = artifactNamed(id, earlier) ?? findArtifact(id, artifactsOf(earlier));
  if (typeof found !== 'string') return { ...call, input: resolvedRead(call.input, found) };
  const { callId, name } = call;
  const result = invalidArguments({ id: callId, name }, [`artifact: ${found}`]);
  return { do: 'answer', callId, name, result };
}

/** What gives the answer must come alone: the model has not seen the results of what it called beside it. */
function answeredAlone(call: PlannedCall, _index: number, { length }: readonly PlannedCall[]): PlannedCall {
  if (call.do !== 'final' || length === 1) return call;
  const { callId, name } = call;
  return { do: 'answer', callId, name, result: notAlone({ id: callId, name }) };
}
