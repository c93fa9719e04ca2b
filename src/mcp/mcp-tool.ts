import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { artifact } from '../define/artifact.js';
import type { AnyTool } from '../define/define-agent.js';
import type { ToolContext } from '../define/define-tool.js';
import type { McpServer } from '../define/mcp-server.js';
import { ErrorResult } from '../define/tool-outcomes.js';
import type { RunToolInput } from '../shared/activities.js';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';
import type { McpPlace } from '../shared/mcp.js';
import type { CatalogTool } from './catalog.js';
import type { McpConnection } from './connection.js';
import { type ResultPart, readResult } from './result-parts.js';

/** A connection may have to be made before the call, and again after it is lost. */
const ROOM_MS = 10_000;

/** A tool of the catalog as an agent has it, for offering and planning; {@link runnableMcpTool} is the one that runs. */
export function mcpTool(tool: CatalogTool, server: McpServer | undefined): AnyTool {
  const { name, description, schema, annotations, isTask } = tool;
  const { readOnlyHint, idempotentHint, destructiveHint } = annotations;
  return {
    kind: 'tool',
    name,
    description,
    input: argumentsType(schema),
    schema,
    schemaHash: createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 16),
    strict: false,
    idempotent: readOnlyHint === true || idempotentHint === true,
    timeoutMs: timeoutOf(server),
    parallel: readOnlyHint === true || destructiveHint !== true,
    effects: readOnlyHint === true ? 'none' : 'any',
    annotations,
    mcp: { server: tool.server, tool: tool.tool, ...(isTask && { isTask }) },
    run: () => {
      throw new Error(`${name} runs on its server.`);
    },
  };
}

/** The tool of a call, with what the turn's first model call has recorded of it: no list of tools is needed. */
export function runnableMcpTool(input: RunToolInput, connection: McpConnection): AnyTool | undefined {
  const { mcp, tool: name } = input;
  if (!mcp) return undefined;
  const { server, tool, isTask, idempotent, timeoutMs } = mcp;
  const place: McpPlace = { server, tool, ...(isTask && { isTask }) };
  const listed = { name, server, tool, description: '', schema: {}, annotations: {} };
  return {
    ...mcpTool(listed, connection.server),
    // The plan has checked the arguments, and the server does so, too.
    input: z.looseObject({}),
    // For rules that name an argument, where a person has changed them.
    schema: { type: 'object', properties: namesIn(input.input) },
    idempotent,
    timeoutMs,
    run: (args: JsonObject, context: ToolContext) =>
      run(connection, { place, args, isRepeatable: idempotent }, context),
  };
}

function namesIn(args: Json): JsonObject {
  return isJsonObject(args) ? Object.fromEntries(Object.keys(args).map((name) => [name, {}])) : {};
}

async function run(
  connection: McpConnection,
  call: { place: McpPlace; args: JsonObject; isRepeatable: boolean },
  context: ToolContext,
): Promise<unknown> {
  const { signal } = context;
  const result = readResult(await connection.call({ ...call, signal, onProgress: context.progress }));
  const { parts, isError } = result;
  const [only] = parts;
  const value = parts.length === 1 && only?.type === 'text' ? only.text : parts.map(returned);
  return isError ? new ErrorResult(value) : value;
}

function returned(part: ResultPart): unknown {
  if (part.type === 'text') return part;
  const { mediaType, data, name } = part;
  return artifact({ mediaType, data: Buffer.from(data, 'base64'), ...(name !== undefined && { name }) });
}

function timeoutOf(server: McpServer | undefined): number {
  return server ? 2 * server.connectTimeoutMs + server.maxTimeoutMs + ROOM_MS : ROOM_MS;
}

/** Checks by the server's own JSON schema; one that can't be used, or takes too long, is left to the server. */
function argumentsType(schema: JsonObject): z.ZodType {
  let validator: ReturnType<typeof validatorOf> | undefined;
  return z.looseObject({}).superRefine(async (value, context) => {
    validator ??= validatorOf(schema);
    for (const message of (await validator)(value)) context.addIssue({ code: 'custom', message });
  });
}

const MAX_PROBLEMS = 20;
/** A pattern such as `^(a+)+$` takes for ever with some texts, and the whole worker would wait for it. */
const MAX_CHECK_MS = 500;

async function validatorOf(schema: JsonObject): Promise<(value: unknown) => string[]> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv');
  try {
    const check = new AjvJsonSchemaValidator().getValidator(schema);
    const hasPattern = JSON.stringify(schema).includes('"pattern');
    return (value) => {
      const checked = hasPattern ? withinTime(() => check(value)) : check(value);
      return checked === undefined || checked.valid ? [] : problemsIn(checked.errorMessage);
    };
  } catch {
    return () => [];
  }
}

/** Undefined where it did not end in time: of all that Node.js has, only `vm` can end a regular expression that runs. */
function withinTime<Value>(check: () => Value): Value | undefined {
  try {
    return runInNewContext('check()', { check }, { timeout: MAX_CHECK_MS }) as Value;
  } catch (error) {
    // It is an Error of the other context.
    if (isJsonObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

/** `data/path/0 must be string, data must have required property 'x'` */
function problemsIn(text: string): string[] {
  const lines = text.split(/, (?=data[/ ])/).map((line) => line.replace(/^data\/?/, '').trim());
  return lines.slice(0, MAX_PROBLEMS);
}
