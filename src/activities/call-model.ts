import { randomBytes } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { Agent } from '../define/define-agent.js';
import type { CallModelInput, ModelCancellation, ModelHeartbeat, ModelReply } from '../shared/activities.js';
import { type Model, ModelError, type ModelRequest, type ModelResponse } from '../shared/model-port.js';
import { errorText, wireLine, wireText } from '../shared/wire-text.js';
import type { Agents } from './agents.js';
import { beatWhile } from './heartbeats.js';
import { notHere } from './not-here.js';
import { planReply } from './plan.js';
import { resolveSettings } from './settings.js';
import type { TranscriptReader } from './transcript-reader.js';

/** Text that one heartbeat shows; the whole comes with the reply. */
const WINDOW_CHARACTERS = 4096;

/** Temporal's bound of one payload is 2 MB. */
const MAX_REPLY_BYTES = 2_000_000;

/**
 * The model activity: reads the transcript that its input names, calls the model, and plans the reply's tool calls.
 * Its fault becomes an ApplicationFailure with a dotted type, which says whether and when Temporal tries again.
 */
export async function callModel(
  agents: Agents,
  modelFor: (agent: Agent) => Model,
  transcripts: TranscriptReader,
  input: CallModelInput,
): Promise<ModelReply> {
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
  const response = await streamReply(context, model, request, input.stream);
  const id = `a_${randomBytes(6).toString('hex')}`;
  const { message, calls } = await planReply(id, response, agent.tools, messages);
  return refuseTooLarge({
    v: 1,
    message,
    calls,
    ...(response.usage && { usage: response.usage }),
    ...(input.resolve && { settings: resolveSettings(agent, request.model, input.resolve.limits) }),
  });
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

async function streamReply(
  context: Context,
  model: Model,
  request: ModelRequest,
  stream: boolean,
): Promise<ModelResponse> {
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
    const call = () => model.call(request, { signal: context.cancellationSignal, attempt, onText });
    return await beatWhile(context, details, call, stream ? () => text.length > shown : undefined);
  } catch (error) {
    throw failureOf(error, context, text);
  }
}

/** An interrupt keeps the text that had come; a shutdown lets another worker try at once. */
function failureOf(error: unknown, context: Context, text: string): Error {
  if (context.cancellationSignal.aborted) {
    if (context.cancellationDetails?.cancelRequested) {
      const details: ModelCancellation = { v: 1, kind: 'model', text: text.toWellFormed() };
      return new CancelledFailure('The model call was interrupted', [details]);
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
  const name = `the agent "${wireLine(agent)}"`;
  return version === undefined ? name : `${name} in version "${wireLine(version)}"`;
}
