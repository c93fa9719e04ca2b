import type { ModelContext, ModelRequest } from '../../shared/model-port.js';
import type { Access } from './openai-client.js';
import type { OpenAiOptions } from './options.js';

/** One call of a model, with everything that it needs; `request.model` is set. */
export type ApiCall = {
  access: Access;
  options: OpenAiOptions;
  request: ModelRequest;
  context: ModelContext;
};
