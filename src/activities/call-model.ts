import { randomBytes } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { Agent } from '../define/define-agent.js';
import type { CallModelInput, InterruptedReply, ModelHeartbeat, ModelReply } from '../shared/activities.js';
import { type Model, ModelError, type ModelRequest, type ModelResponse } from '../shared/model-port.js';
import { errorText, wireText } from '../shared/wire-text.js';
import type { Agents } from './agents.js';
import { beatWhile } from './heartbeats.js';
import type { Interrupts } from './interrupts.js';
import { notHere } from './not-here.js';
import { planReply } from './plan.js';
import { resolveSettings } from './settings.js';
import type { TranscriptReader } from './transcript-reader.js';

/** Text that one heartbeat shows; the whole comes with the reply. */
const WINDOW_CHARACTERS = 4096;

/**
 * The model activity: reads the transcript that its input names, calls the model, and plans the reply's tool calls.
 * Its fault becomes an ApplicationFailure with a dotted type, which says whether and when Temporal tries again.
 */
export async function callModel(
  agents: Agents,
  modelFor: (agent: Agent) => Model,
  transcripts: TranscriptReader,
  interrupts: Interrupts,
  input: CallModelInput,
): Promise<ModelReply | InterruptedReply> {
  const context = Context.current();
  const { attempt } = context.info;
  const agent = agents.find(input.agent, input.version);
  if (!agent) throw notHere('Agent.NotHere', named(input), agents, attempt);
  const model = modelFor(agent);
  const messages = await transcripts.read(input.transcript);
  const request: ModelRequest = {
    model: input.model ?? model.name,
    instructions: messages.some((message) => message.role === 'system') ? '' : agent.instructions,
    messages,
    tools: agent.tools.map(({ name, description, schema }) => ({ name, description, schema })),
  };
  const response = await interrupts.during(context, (interrupted) =>
    streamReply(context, model, request, input.stream, interrupted),
  );
  if ('interrupted' in response) return response;
  const id = `a_${randomBytes(6).toString('hex')}`;
  const { message, calls } = await planReply(id, response, agent.tools, messages);
  return {
    v: 1,
    message,
    calls,
    ...(response.usage && { usage: response.usage }),
    ...(input.resolve && { settings: resolveSettings(agent, request.model, input.resolve.limits) }),
  };
}

async function streamReply(
  context: Context,
  model: Model,
  request: ModelRequest,
  stream: boolean,
  interrupted: AbortSignal,
): Promise<ModelResponse | InterruptedReply> {
  const { attempt } = context.info;
  let text = '';
  let shown = 0;
  const details = (): ModelHeartbeat => {
    shown = text.length;
    const offset = Math.max(0, text.length - WINDOW_CHARACTERS);
    return { v: 1, kind: 'model', attempt, offset, text: stream ? text.slice(offset) : '' };
  };
  const onText = (piece: string) => {
    text += piece;
  };
  try {
    const signal = AbortSignal.any([interrupted, context.cancellationSignal]);
    const call = () => model.call(request, { signal, attempt, onText });
    return await beatWhile(context, details, call, stream ? () => text.length > shown : undefined);
  } catch (error) {
    if (interrupted.aborted) return { v: 1, interrupted: true, text: text.toWellFormed() };
    throw failureOf(error, context, text);
  }
}

/** An interrupt keeps the text that had come; a shutdown lets another worker try at once. */
function failureOf(error: unknown, context: Context, text: string): Error {
  if (context.cancellationSignal.aborted) {
    if (context.cancellationDetails?.cancelRequested) {
      return new CancelledFailure('The model call was interrupted', [text.toWellFormed()]);
    }
    return ApplicationFailure.create({
      type: 'Model.Connection',
      message: 'The worker shut down during the model call',
      nextRetryDelay: 1,
    });
  }
  if (!(error instanceof ModelError)) {
    return ApplicationFailure.create({
      type: 'Model.Failed',
      message: errorText(error),
      nonRetryable: true,
    });
  }
  return ApplicationFailure.create({
    type: error.type,
    message: wireText(error.message),
    nonRetryable: !error.retryable,
    ...(error.retryAfterMs !== undefined && { nextRetryDelay: Math.max(1, error.retryAfterMs) }),
  });
}

function named({ agent, version }: CallModelInput): string {
  return version === undefined ? `the agent "${agent}"` : `the agent "${agent}" in version "${version}"`;
}
