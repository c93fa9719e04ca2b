import type { FunctionTool, ResponseCreateParams } from 'openai/resources/responses/responses';
import type { ModelRequest, ToolDescription } from '../../shared/model-port.js';
import type { Access } from '../openai/openai-client.js';
import type { OpenAiOptions } from '../openai/options.js';
import { placeOf } from '../openai/origin.js';
import { acceptable } from '../openai/reasoning-refusals.js';
import { toolUseOf, withFields } from '../openai/request-body.js';
import type { WrittenList } from '../openai/written-list.js';
import { writtenInputItems } from './to-input-items.js';

export type ResponsesBody = Omit<ResponseCreateParams, 'input'> & { input: WrittenList };

/**
 * The body of a Responses request; `request.model` is set. It is stateless, so that a transcript is all that a turn
 * needs: nothing is stored, and reasoning comes encrypted, to be sent back. A background call must be stored.
 */
export function responsesBody(request: ModelRequest, access: Access, options: OpenAiOptions): ResponsesBody {
  const { stream = true, background = false, temperature, maxOutputTokens, body } = options;
  const place = placeOf(access, request);
  return withFields<ResponsesBody>(
    {
      model: request.model,
      ...(request.instructions !== '' && { instructions: request.instructions.toWellFormed() }),
      input: writtenInputItems(acceptable(request.messages, place), place.origin),
      ...(request.tools.length > 0 && { tools: request.tools.map(toolParam) }),
      ...toolUse(request, options),
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
      ...effort(options),
      ...format(request),
      include: ['reasoning.encrypted_content'],
      ...(background ? { background, store: true, stream: false } : { store: false, stream }),
    },
    body,
  );
}

type Params = Partial<ResponsesBody>;

function toolUse(request: ModelRequest, options: OpenAiOptions): Params {
  const { toolChoice, parallelToolCalls } = toolUseOf(request, options);
  return {
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(toolChoice !== undefined && {
      tool_choice: typeof toolChoice === 'string' ? toolChoice : { type: 'function', name: toolChoice.name },
    }),
  };
}

/** Models have words of their own for it, which the SDK's type doesn't know. */
function effort({ reasoningEffort }: OpenAiOptions): Params {
  if (reasoningEffort === undefined) return {};
  const reasoning = { effort: reasoningEffort } as NonNullable<Params['reasoning']>;
  return { reasoning };
}

function format({ output }: ModelRequest): Params {
  if (output === undefined) return {};
  const { name, schema, strict } = output;
  return { text: { format: { type: 'json_schema', name, schema, strict } } };
}

/** `strict` is always told: this API takes a schema for a strict one where it isn't. */
function toolParam({ name, description, schema, strict = false }: ToolDescription): FunctionTool {
  return {
    type: 'function',
    name,
    description: description.toWellFormed(),
    parameters: schema,
    strict,
  };
}
