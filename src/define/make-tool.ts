import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type Duration, durationMs } from '../shared/duration.js';
import type { JsonObject } from '../shared/json.js';
import type { Tool, ToolOptions } from './define-tool.js';
import { jsonSchema } from './json-schema.js';
import { LONGEST_LOCAL_MS, runsLocally } from './local-tool.js';
import { requireToolOptions } from './option-names.js';
import { notStrictBecause } from './strict-schema.js';
import { toolRetry } from './tool-retry.js';

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DEFAULT_TIMEOUT_MS = 600_000;
/** What Node's timers can wait. */
const LONGEST_TIMEOUT_MS = 24 * 24 * 3_600_000;

/** As `defineTool`, which is for all tools but Holdfast's own: those may have the names that no other can. */
export function makeTool<Input extends z.ZodType, Result, Setup, Output extends z.ZodType>(
  options: ToolOptions<Input, Result, Setup, Output>,
): Tool<Input, Result, Setup> {
  const { name, idempotent = false, output, retry } = options;
  if (!TOOL_NAME.test(name) || name.startsWith('__') || name === 'default') {
    throw new TypeError(
      `Tool name ${JSON.stringify(name)}: use 1 to 64 of letters, digits, _ and -; "default" and names that begin with "__" are Temporal's.`,
    );
  }
  requireToolOptions(name, options);
  const schema = inputSchema(name, options.input);
  const isLocal = runsLocally(options);
  return {
    kind: 'tool',
    name,
    description: options.description,
    input: options.input,
    schema,
    schemaHash: createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 16),
    ...strictness(name, schema, options.strict),
    idempotent,
    timeoutMs: timeoutMs(name, options.timeout ?? (isLocal ? LONGEST_LOCAL_MS : DEFAULT_TIMEOUT_MS)),
    ...(isLocal && { local: true as const }),
    parallel: options.parallel ?? true,
    ...(options.repeatable && { repeatable: true as const }),
    ...(output && { output, outputSchema: jsonSchema(`Tool ${name}: its output`, output, 'output') }),
    ...(retry && { retry: toolRetry(name, idempotent, retry) }),
    ...(options.concurrencyKey && { concurrencyKey: options.concurrencyKey }),
    ...(options.setup && { setup: options.setup }),
    ...(options.approval !== undefined && { approval: options.approval }),
    ...(options.effects !== undefined && { effects: options.effects }),
    ...(options.subject && { subject: options.subject }),
    run: options.run,
    // It may return another form of the output than `run` does.
    ...(options.reconcile && {
      reconcile: options.reconcile as NonNullable<Tool<Input, Result>['reconcile']>,
    }),
  };
}

function timeoutMs(name: string, timeout: Duration): number {
  const ms = durationMs(`Tool ${name}, timeout`, timeout);
  if (ms > LONGEST_TIMEOUT_MS) throw new RangeError(`Tool ${name}, timeout: at most 24 days.`);
  return ms;
}

function inputSchema(name: string, input: z.ZodType): JsonObject {
  const schema = jsonSchema(`Tool ${name}: its input`, input, 'input');
  if (schema['type'] !== 'object') {
    throw new TypeError(
      `Tool ${name}: its input must be a zod object, as in z.object({ path: z.string() }).`,
    );
  }
  return schema;
}

function strictness(
  name: string,
  schema: JsonObject,
  wanted: boolean | undefined,
): Pick<Tool, 'strict' | 'notStrictBecause'> {
  const because = notStrictBecause(schema);
  if (because === undefined) return { strict: wanted !== false };
  if (wanted) throw new TypeError(`Tool ${name}: its input is none for strict mode, because ${because}.`);
  return { strict: false, notStrictBecause: because };
}
