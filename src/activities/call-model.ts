import { randomUUID } from 'node:crypto';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Agent, AgentOutput, AnyTool } from '../define/define-agent.js';
import type { CallModelInput, InterruptedReply, ModelReply, NoPlanReply } from '../shared/activities.js';
import { isSummary } from '../shared/compaction/exchanges.js';
import type { CompactionSettings } from '../shared/compaction/settings.js';
import type { TooLongReply } from '../shared/compaction/wire.js';
import type { Message } from '../shared/messages.js';
import type { Model, ModelError, ModelRequest, ToolDescription } from '../shared/model-port.js';
import { noteMessage, planNote } from '../shared/notes.js';
import type { UnknownUsage, Usage } from '../shared/usage.js';
import { wireLine } from '../shared/wire-text.js';
import { moveBigArguments, refuseTooLongForRemote, withWholeArguments } from './big-arguments.js';
import { compactionSettings } from './compaction-settings.js';
import { refuseUncounted, refuseUnpriced } from './counted.js';
import { noPlanReply } from './empty-plan.js';
import { hooksIn } from './ended-hooks.js';
import { type Beats, beatWhile } from './heartbeats.js';
import { type Instructions, instructionsFor } from './instructions.js';
import { afterModelCall, beforeModelCall, beforeToolCall } from './model-hooks.js';
import { notHere } from './not-here.js';
import { type Asking, type Offer, offerOf } from './offer.js';
import { outputOf } from './output.js';
import { permissionOf } from './permission.js';
import { planReply } from './plan.js';
import type { ActivityServices } from './services.js';
import { budgetFor, resolveSettings } from './settings.js';
import { streamReply } from './stream-reply.js';
import { longOpening, tooLongReply } from './too-long.js';
import { Tries } from './tries.js';

/** Temporal's bound of one payload is 2 MB. */
const MAX_REPLY_BYTES = 2_000_000;

/**
 * The model activity: reads the transcript that its input names, calls the model, and plans the reply's tool calls.
 * Its fault becomes an ApplicationFailure with a dotted type, which says whether and when Temporal tries again.
 */
export async function callModel(
  services: ActivityServices,
  input: CallModelInput,
): Promise<ModelReply | InterruptedReply | TooLongReply | NoPlanReply> {
  const context = Context.current();
  const { agents, artifacts, modelFor } = services;
  const agent = agents.find(input.agent, input.version);
  const tries = new Tries(context);
  if (!agent) {
    const failure = notHere('Agent.NotHere', named(input), agents, context.info.attempt);
    throw await tries.failed(failure, undefined);
  }
  const model = modelFor(agent);
  const { messages, whole } = await beatWhile(context, beatsOf(tries, undefined), () =>
    readTranscript(services, input, context.info.attempt),
  );
  const isClosing = input.notes?.some(({ kind }) => kind === 'closing') ?? false;
  // What a tool gives, the plan checks; at the end none can be called.
  const output = agent.finalAnswer && !isClosing ? undefined : agent.output;
  const asksJson = isClosing || (input.outputRequest !== undefined && input.outputRequest.kind === undefined);
  // Of the first call of a turn: later ones are known to be counted.
  const first = input.resolve ?? input.opens;
  const budget = first ? budgetFor(agent, first) : {};
  const mayPlan = agent.planning && !input.withoutTools && input.plan !== 'none';
  const note = first && mayPlan ? planNote(0) : undefined;
  const withoutTools = input.withoutTools || note !== undefined;
  const plans = [note, ...(input.notes ?? [])].some((each) => each?.kind === 'plan');
  const warn = (text: string) => context.log.warn(text);
  const waitedMs = () => Date.now() - context.info.scheduledTimestampMs;
  const given = {
    ...{ messages, model, budget, output: plans ? undefined : output },
    whole: note ? [...whole, noteMessage(input.turnId, input.iteration, note)] : whole,
    withoutTools: asksJson || withoutTools === true,
  };
  let last: (Prepared & { opening?: ModelError }) | undefined;
  const prepare = async (signal: AbortSignal) => {
    const asking = { signal, warn, waitedMs };
    last = await preparedCall(services, agent, input, given, asking);
    const opening = longOpening(input, messages, last.compaction);
    if (!opening) {
      const hooks = hooksIn(context, agent, input, signal);
      last = { ...last, request: await beforeModelCall(hooks, last.request) };
      return { ...last, before: hooks.told };
    }
    last = { ...last, opening };
    throw opening;
  };
  const calling = streamReply(services, { context, tries }, model, prepare, input.stream);
  const replied = await calling.catch(async (error: unknown) => {
    const reply =
      noPlanReply(error, input, plans, tries) ??
      tooLongReply(error, input, { ...agent.compaction, opening: last?.opening }, tries);
    return { ...reply, ...(last && (await resolved(agent, input, last))) };
  });
  if (!('response' in replied)) return replied;
  const { response, asked } = replied;
  const { tools, answered } = asked.offer;
  const cost = response.usage ?? 'unknown';
  const { told } = tries;
  try {
    refuseUncounted(response.usage, asked.request.model, budget);
    const hooks = hooksIn(context, agent, input, context.cancellationSignal);
    hooks.records.push(...(asked.before.hooks ?? []));
    const planned = await beatWhile(context, beatsOf(tries, cost), async () => {
      const id = `a_${randomUUID().slice(-12)}`;
      // Once rounds were dropped, providers that count their ids anew would repeat those of calls that ran, in this turn or in
      // an earlier one of its session.
      const dropped = input.transcript.spans.some((span) => span.dropped ?? span.epoch > 0);
      const isPartial = dropped || messages.some(isSummary);
      await afterModelCall(hooks, response);
      const plan = await planReply(id, response, tools, messages, {
        idSuffix: isPartial ? `__${id.slice(2)}` : '',
        withoutTools,
        judge: (tool, args) => permissionOf(agent, tool, args, input.permissions, input.above),
        before: (tool, callId, args) => beforeToolCall(hooks, tool, callId, args),
      });
      const calls = plan.calls.map(answered);
      const remote = new Set(tools.filter((tool) => tool.remote).map(({ name }) => name));
      const moved = await moveBigArguments({ ...plan, calls }, artifacts);
      const kept = refuseTooLongForRemote(moved, remote);
      return { ...kept, output: output && (await outputOf(output, kept.message, asksJson)) };
    });
    const spent = tries.spentBefore;
    return refuseTooLarge({
      v: 1,
      message: planned.message,
      calls: planned.calls,
      ...(planned.output && { output: planned.output }),
      ...(response.usage && { usage: response.usage }),
      ...(spent && { spent }),
      ...told,
      ...hooks.told,
      ...(await resolved(agent, input, asked)),
      ...(note && { note }),
    });
  } catch (error) {
    throw await tries.failed(error, cost);
  }
}

type Prepared = {
  request: ModelRequest;
  instructions: Instructions;
  offer: Offer;
  /** Of a turn's first call. */
  compaction: CompactionSettings | undefined;
};
type Given = {
  messages: readonly Message[];
  whole: readonly Message[];
  model: Model;
  output: AgentOutput | undefined;
  withoutTools: boolean;
  budget: ReturnType<typeof budgetFor>;
};

async function preparedCall(
  services: ActivityServices,
  agent: Agent,
  input: CallModelInput,
  { messages, whole, model, output, withoutTools, budget }: Given,
  asking: Asking,
): Promise<Prepared> {
  const instructions = await instructionsFor(agent, input, messages, asking.signal);
  const offer = await offerOf(services, agent, input, messages, asking);
  const name = input.model ?? model.name;
  refuseUnpriced(model, name, budget);
  const request: ModelRequest = {
    model: name,
    instructions: instructions.text,
    messages: whole,
    tools: offer.tools.filter((tool) => !tool.hidden).map(described),
    ...(output && formatOf(output)),
    ...(withoutTools && { toolChoice: 'none' as const }),
    ...(input.modelOptions && { options: input.modelOptions }),
  };
  const { recorded, text } = instructions;
  // Recorded ones are the first message from then on.
  const beside = { instructions: recorded ? '' : text, tools: request.tools };
  const compaction = input.resolve && compactionSettings(agent.compaction, request.model, beside);
  return { request, instructions, offer, compaction };
}

/** What the first call of a turn settles. */
async function resolved(
  agent: Agent,
  { resolve }: CallModelInput,
  { request, instructions: { text, recorded }, offer: { settled, mcp }, compaction }: Prepared,
): Promise<Pick<ModelReply, 'settings' | 'instructions'>> {
  const settings =
    resolve && compaction && resolveSettings(agent, settled, request.model, resolve, await mcp, compaction);
  return { ...(recorded && { instructions: text }), ...(settings && { settings }) };
}

/** While no text comes: stores may be slow, and arguments long. */
function beatsOf(tries: Tries, cost: Usage | UnknownUsage | undefined): Beats {
  return { details: () => tries.beat({ offset: 0, text: '' }, cost) };
}

/** The messages as they are recorded, and with the arguments that are kept as artifacts. */
async function readTranscript(
  { transcripts, artifacts }: ActivityServices,
  { transcript }: CallModelInput,
  attempt: number,
): Promise<{ messages: readonly Message[]; whole: readonly Message[] }> {
  const messages = await transcripts.read(transcript);
  return { messages, whole: await withWholeArguments(messages, artifacts, attempt) };
}

function described({ name, description, schema, strict }: AnyTool): ToolDescription {
  return { name, description, schema, ...(strict && { strict }) };
}

/** Providers take objects only; anything else is asked for in words. */
function formatOf({ schema, strict }: AgentOutput): Pick<ModelRequest, 'output'> {
  return schema['type'] === 'object' ? { output: { name: 'answer', schema, strict } } : {};
}

/** The SDK would fail the activity only after the model call, and Temporal would pay for that call ten times. */
function refuseTooLarge(reply: ModelReply): ModelReply {
  const bytes = Buffer.byteLength(JSON.stringify(reply));
  if (bytes <= MAX_REPLY_BYTES) return reply;
  throw ApplicationFailure.create({
    type: 'Model.BadResponse',
    message: `The reply takes ${bytes} bytes; Temporal carries ${MAX_REPLY_BYTES}. Limit the output of the model.`,
    nonRetryable: true,
  });
}

function named({ agent, version }: CallModelInput): string {
  const name = `the agent "${wireLine(agent)}"`;
  return version === undefined ? name : `${name} in version "${wireLine(version)}"`;
}
