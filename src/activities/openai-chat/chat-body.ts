import type { ChatCompletionCreateParams, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { ModelRequest, ToolDescription } from '../../shared/model-port.js';
import { isOpenAi } from '../openai/access.js';
import type { Access } from '../openai/openai-client.js';
import type { OpenAiOptions } from '../openai/options.js';
import { placeOf } from '../openai/origin.js';
import { acceptable, demandsReasoning } from '../openai/reasoning-refusals.js';
import { toolUseOf, withFields } from '../openai/request-body.js';
import type { WrittenList } from '../openai/written-list.js';
import { writtenChatMessages } from './to-chat-messages.js';

export type ChatBody = Omit<ChatCompletionCreateParams, 'messages'> & { messages: WrittenList };

/** The body of a Chat Completions request; `request.model` is set. */
export function chatBody(request: ModelRequest, access: Access, options: OpenAiOptions): ChatBody {
  const { stream = true, sendReasoning = 'tools', temperature, body } = options;
  const place = placeOf(access, request);
  const sent = { origin: place.origin, reasoning: sendReasoning, demanded: demandsReasoning(place) };
  return withFields<ChatBody>(
    {
      model: request.model,
      messages: writtenChatMessages(request.instructions, acceptable(request.messages, place), sent),
      ...(request.tools.length > 0 && { tools: request.tools.map(toolParam) }),
      ...toolUse(request, options),
      ...(temperature !== undefined && { temperature }),
      ...effort(options),
      ...outputLimit(access, options),
      ...format(request),
      ...(stream ? { stream, stream_options: { include_usage: true } } : { stream }),
    },
    body,
  );
}

type Params = Partial<ChatBody>;

function toolUse(request: ModelRequest, options: OpenAiOptions): Params {
  const { toolChoice, parallelToolCalls } = toolUseOf(request, options);
  return {
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(toolChoice !== undefined && {
      tool_choice:
        typeof toolChoice === 'string'
          ? toolChoice
          : { type: 'function', function: { name: toolChoice.name } },
    }),
  };
}

/** Models have words of their own for it, which the SDK's type doesn't know. */
function effort({ reasoningEffort }: OpenAiOptions): Params {
  return reasoningEffort === undefined
    ? {}
    : { reasoning_effort: reasoningEffort as NonNullable<Params['reasoning_effort']> };
}

/** OpenAI's reasoning models refuse the old name, and most other servers don't know the new one. */
function outputLimit({ baseURL }: Access, { maxOutputTokens }: OpenAiOptions): Params {
  if (maxOutputTokens === undefined) return {};
  return isOpenAi(baseURL) ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens };
}

function format({ output }: ModelRequest): Params {
  if (output === undefined) return {};
  const { name, schema, strict } = output;
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict } } };
}

function toolParam({ name, description, schema, strict }: ToolDescription): ChatCompletionTool {
  return {
    type: 'function',
    function: {
      name,
      description: description.toWellFormed(),
      parameters: schema,
      ...(strict && { strict }),
    },
  };
}
