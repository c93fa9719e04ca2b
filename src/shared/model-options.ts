import type { JsonObject } from './json.js';
import { jsonBytes } from './json.js';
import {
  type Check,
  is,
  isBoolean,
  isNonEmptyText,
  isObject,
  isOneOf,
  isShape,
  isWholeNumber,
} from './shape.js';

/** How a model is to answer: of a model made by `openai(...)`, or of one turn, which goes before. */
export type ModelOptions = {
  /** What the model may do with tools; `required` and a name hold for every reply, so that such a turn never ends. */
  toolChoice?: 'none' | 'auto' | 'required' | { name: string };
  /** `false`: one tool call a reply at most. */
  parallelToolCalls?: boolean;
  temperature?: number;
  /** As the model knows it, such as `low` or `high`. */
  reasoningEffort?: string;
  /** Of one reply, reasoning included. */
  maxOutputTokens?: number;
  /** More fields of each request; they win over ours, and `null` takes one of ours away. */
  body?: JsonObject;
};

/** Each model call of the turn is told them. */
const OPTIONS_BYTES = 16_000;

const toolName = isShape({ name: isNonEmptyText });
const isToolChoice: Check = (value, path) =>
  typeof value === 'object' ? toolName(value, path) : isOneOf('none', 'auto', 'required')(value, path);

const shape = isShape(
  {},
  {
    toolChoice: isToolChoice,
    parallelToolCalls: isBoolean,
    temperature: is('a number from 0', (value) => Number.isFinite(value) && Number(value) >= 0),
    reasoningEffort: isNonEmptyText,
    maxOutputTokens: isWholeNumber(1, 100_000_000),
    body: isObject,
  },
);
const isSmall = is(`${OPTIONS_BYTES} bytes of JSON at most`, (value) => jsonBytes(value) <= OPTIONS_BYTES);

export const isModelOptions: Check = (value, path) => [...shape(value, path), ...isSmall(value, path)];
