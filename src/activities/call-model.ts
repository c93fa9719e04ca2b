import { randomUUID } from 'node:crypto';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { CallModelInput, InterruptedReply, ModelReply, NoPlanReply } from '../shared/activities.js';
import { isSummary } from '../shared/compaction/exchanges.js';
import type { TooLongReply } from '../shared/compaction/wire.js';
import type { Message } from '../shared/messages.js';
import type { ModelResponse } from '../shared/model-port.js';
import type { UnknownUsage, Usage } from '../shared/usage.js';
import { wireLine } from '../shared/wire-text.js';
import { moveBigArguments, refuseTooLongForRemote, withWholeArguments } from './big-arguments.js';
import { type CallTerms, termsOf } from './call-terms.js';
import { refuseUncounted } from './counted.js';
import { noPlanReply } from './empty-plan.js';
import { hooksIn } from './ended-hooks.js';
import { type Beats, beatWhile } from './heartbeats.js';
import type { HookCalls } from './hook-calls.js';
import { afterModelCall, beforeModelCall, beforeToolCall } from './model-hooks.js';
import { notHere } from './not-here.js';
import type { Asking, Offer } from './offer.js';
import { outputOf } from './output.js';
import { permissionOf } from './permission.js';
import { planReply } from './plan.js';
import { firstSettings, type PreparedCall, preparedCall } from './prepared-call.js';
import type { ActivityServices } from './services.js';
import { streamReply } from './stream-reply.js';
import { tooLongReply } from './too-long.js';
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
  const { agents, modelFor } = services;
  const agent = agents.find(input.agent, input.version);
  const tries = new Tries(context);
  if (!agent) {
    const failure = notHere('Agent.NotHere', named(input), agents, context.info.attempt);
    throw await tries.failed(failure, undefined);
  }
  const model = modelFor(agent);
  const transcript = await beatWhile(context, beatsOf(tries, undefined), () =>
    readTranscript(services, input, context.info.attempt),
  );
  const terms = termsOf(agent, model, input, transcript);

  let prepared: PreparedCall | undefined;
  const prepare = async (signal: AbortSignal) => {
    prepared = await preparedCall(services, terms, askingIn(context, signal));
    if (prepared.opening) throw prepared.opening;
    const hooks = hooksIn(context, agent, input, signal);
    const request = await beforeModelCall(hooks, prepared.request);
    return { ...prepared, request, before: hooks.told };
  };
  const calling = streamReply(services, { context, tries }, model, prepare, input.stream);
  const replied = await calling.catch((error: unknown) => toldInstead(error, tries, terms, prepared));
  if (!('response' in replied)) return replied;

  const { response, asked } = replied;
  const cost = response.usage ?? 'unknown';
  const { told } = tries;
  try {
    refuseUncounted(response.usage, asked.request.model, terms.budget);
    const hooks = hooksIn(context, agent, input, context.cancellationSignal);
    hooks.records.push(...(asked.before.hooks ?? []));
    const planned = await beatWhile(context, beatsOf(tries, cost), () =>
      plannedReply(services, terms, asked.offer, response, hooks),
    );
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
      ...(await firstSettings(terms, asked)),
      ...(terms.note && { note: terms.note }),
    });
  } catch (error) {
    throw await tries.failed(error, cost);
  }
}

/** What the turn is told in place of a reply, where it can go on after such a fault; else throws it. */
async function toldInstead(
  error: unknown,
  tries: Tries,
  terms: CallTerms,
  prepared: PreparedCall | undefined,
): Promise<TooLongReply | NoPlanReply> {
  const { agent, input, isPlan } = terms;
  const reply =
    noPlanReply(error, input, isPlan, tries) ??
    tooLongReply(error, input, { ...agent.compaction, opening: prepared?.opening }, tries);
  return { ...reply, ...(prepared && (await firstSettings(terms, prepared))) };
}

/** The reply as it is recorded: what is to be done with each of its calls, and whether it is the turn's output. */
async function plannedReply(
  { artifacts }: ActivityServices,
  terms: CallTerms,
  { tools, answered }: Offer,
  response: ModelResponse,
  hooks: HookCalls,
): Promise<Pick<ModelReply, 'message' | 'calls'> & { output: ModelReply['output'] }> {
  const { agent, input, messages, output } = terms;
  const id = `a_${randomUUID().slice(-12)}`;
  await afterModelCall(hooks, response);
  const plan = await planReply(id, response, tools, messages, {
    idSuffix: isPartial(terms) ? `__${id.slice(2)}` : '',
    withoutTools: terms.withoutTools,
    judge: (tool, args) => permissionOf(agent, tool, args, input.permissions, input.above),
    before: (tool, callId, args) => beforeToolCall(hooks, tool, callId, args),
  });
  const calls = plan.calls.map(answered);
  const remote = new Set(tools.filter((tool) => tool.remote).map(({ name }) => name));
  const moved = await moveBigArguments({ ...plan, calls }, artifacts);
  const kept = refuseTooLongForRemote(moved, remote);
  return { ...kept, output: output && (await outputOf(output, kept.message, terms.asksJson)) };
}

/**
 * Once rounds were dropped, providers that count their ids anew would repeat those of calls that ran, in this turn or in
 * an earlier one of its session.
 */
function isPartial({ input, messages }: CallTerms): boolean {
  const dropped = input.transcript.spans.some((span) => span.dropped ?? span.epoch > 0);
  return dropped || messages.some(isSummary);
}

function askingIn(context: Context, signal: AbortSignal): Asking {
  return {
    signal,
    warn: (text) => context.log.warn(text),
    waitedMs: () => Date.now() - context.info.scheduledTimestampMs,
  };
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
