import type { AgentOutput, AnyTool } from '../define/define-agent.js';
import type { ModelReply } from '../shared/activities.js';
import type { CompactionSettings } from '../shared/compaction/settings.js';
import type { ModelError, ModelRequest, ToolDescription } from '../shared/model-port.js';
import { noteMessage } from '../shared/notes.js';
import type { CallTerms } from './call-terms.js';
import { compactionSettings } from './compaction-settings.js';
import { refuseUnpriced } from './counted.js';
import { type Instructions, instructionsFor } from './instructions.js';
import { type Asking, type Offer, offerOf } from './offer.js';
import type { ActivityServices } from './services.js';
import { resolveSettings } from './settings.js';
import { longOpening } from './too-long.js';

/** What the model is asked, before any hook has seen it, and what it is asked with. */
export type PreparedCall = {
  request: ModelRequest;
  instructions: Instructions;
  offer: Offer;
  /** Of a turn's first terms. */
  compaction: CompactionSettings | undefined;
  /** Why the model is not to be asked before the turn's opening was compacted. */
  opening: ModelError | undefined;
};

/** Throws a ModelError where instructions or tools can't be had, or a limit of costs could not be held. */
export async function preparedCall(
  services: ActivityServices,
  terms: CallTerms,
  asking: Asking,
): Promise<PreparedCall> {
  const { agent, model, input, messages, whole, note, output } = terms;
  const instructions = await instructionsFor(agent, input, messages, asking.signal);
  const offer = await offerOf(services, agent, input, messages, asking);
  const name = input.model ?? model.name;
  refuseUnpriced(model, name, terms.budget);
  const request: ModelRequest = {
    model: name,
    instructions: instructions.text,
    messages: note ? [...whole, noteMessage(input.turnId, input.iteration, note)] : whole,
    tools: offer.tools.filter((tool) => !tool.hidden).map(described),
    ...(output && !terms.isPlan && formatOf(output)),
    ...((terms.asksJson || terms.withoutTools) && { toolChoice: 'none' as const }),
    ...(input.modelOptions && { options: input.modelOptions }),
  };
  const { recorded, text } = instructions;
  // Recorded ones are the first message from then on.
  const beside = { instructions: recorded ? '' : text, tools: request.tools };
  const compaction = input.resolve && compactionSettings(agent.compaction, request.model, beside);
  const opening = longOpening(input, messages, compaction);
  return { request, instructions, offer, compaction, opening };
}

/** What the first call of a turn settles; nothing at a later one. */
export async function firstSettings(
  { agent, input: { resolve } }: CallTerms,
  { request, instructions: { text, recorded }, offer: { settled, mcp }, compaction }: PreparedCall,
): Promise<Pick<ModelReply, 'settings' | 'instructions'>> {
  const settings =
    resolve && compaction && resolveSettings(agent, settled, request.model, resolve, await mcp, compaction);
  return { ...(recorded && { instructions: text }), ...(settings && { settings }) };
}

function described({ name, description, schema, strict }: AnyTool): ToolDescription {
  return { name, description, schema, ...(strict && { strict }) };
}

/** Providers take objects only; anything else is asked for in words. */
function formatOf({ schema, strict }: AgentOutput): Pick<ModelRequest, 'output'> {
  return schema['type'] === 'object' ? { output: { name: 'answer', schema, strict } } : {};
}
