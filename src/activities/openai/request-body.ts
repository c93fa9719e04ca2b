import type { JsonObject } from '../../shared/json.js';
import type { ModelRequest } from '../../shared/model-port.js';
import type { OpenAiOptions } from './options.js';

/** What a request says of tools; nothing without tools, as providers refuse it then. */
export type ToolUse = { toolChoice?: OpenAiOptions['toolChoice']; parallelToolCalls?: boolean };

export function toolUseOf(request: ModelRequest, options: OpenAiOptions): ToolUse {
  if (request.tools.length === 0) return {};
  const toolChoice = request.toolChoice ?? options.toolChoice;
  const { parallelToolCalls } = options;
  return {
    ...(toolChoice !== undefined && { toolChoice }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
  };
}

/** `fields` over `body`; a field that is `null` takes ours away. */
export function withFields<Body extends object>(body: Body, fields: JsonObject = {}): Body {
  const all = Object.entries({ ...body, ...fields });
  return Object.fromEntries(all.filter(([name]) => fields[name] !== null)) as Body;
}
