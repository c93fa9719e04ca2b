import { isDeepStrictEqual } from 'node:util';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { PlannedCall, RunToolInput } from '../shared/activities.js';
import { isJsonObject, type Json, type JsonObject, jsonBytes, parseJson } from '../shared/json.js';
import type { AssistantMessage, Message, ToolCallBlock } from '../shared/messages.js';
import { tooLongForRemote } from '../shared/remote-tools.js';
import { argumentsNotKept } from '../shared/tool-results.js';
import { errorText, wireLine } from '../shared/wire-text.js';

/** Arguments that are longer are kept as artifacts. */
export const MAX_ARGUMENT_BYTES = 200_000;
/**
 * What the arguments of one reply may take in its recorded result, where each stands twice. It leaves room for the
 * reply's text in one payload (2 MB), and for all calls in the commands of one workflow task (3 MB).
 */
const MAX_INLINE_BYTES = 1_000_000;
/** Of a model call, that still waits for arguments which can't be found. */
const LAST_TRY = 3;
const SAVED_AT_ONCE = 16;
const SHOWN_FIELDS = 20;
const SHOWN_CHARACTERS = 200;

type Planned = { message: AssistantMessage; calls: PlannedCall[] };
type Sized = { block: ToolCallBlock; call: PlannedCall; bytes: number; inline: number };

/**
 * Moves arguments that Temporal could not carry into the artifact store, the longest first, and leaves a short form of
 * them. A call whose arguments can't be stored is answered with that.
 */
export async function moveBigArguments({ message, calls }: Planned, artifacts: Artifacts): Promise<Planned> {
  const sized = sizedCalls(message, calls);
  let inline = sized.reduce((sum, each) => sum + each.inline, 0);
  const moved = new Map<string, Sized>();
  for (const each of sized.sort((one, other) => other.inline - one.inline)) {
    if (each.bytes <= MAX_ARGUMENT_BYTES && inline <= MAX_INLINE_BYTES) continue;
    inline -= each.inline;
    moved.set(each.block.id, each);
  }
  if (moved.size === 0) return { message, calls };
  const replaced = new Map<string, { block: ToolCallBlock; call: PlannedCall }>();
  const waiting = [...moved];
  while (waiting.length > 0) {
    const group = waiting.splice(0, SAVED_AT_ONCE);
    await Promise.all(group.map(async ([id, each]) => replaced.set(id, await keep(each, artifacts))));
  }
  const content = message.content.map((block) =>
    block.type === 'tool_call' ? (replaced.get(block.id)?.block ?? block) : block,
  );
  return {
    message: { ...message, content },
    calls: calls.map((call) => replaced.get(call.callId)?.call ?? call),
  };
}

function sizedCalls(message: AssistantMessage, calls: readonly PlannedCall[]): Sized[] {
  return calls.flatMap((call) => {
    const block = message.content.find((each) => each.type === 'tool_call' && each.id === call.callId);
    if (block?.type !== 'tool_call') return [];
    const written = jsonBytes(block.arguments);
    const inline = written + (call.do === 'run' ? jsonBytes(call.input) : 0);
    return [{ block, call, bytes: Buffer.byteLength(block.arguments), inline }];
  });
}

async function keep(
  { block, call, bytes }: Sized,
  artifacts: Artifacts,
): Promise<Pick<Sized, 'block' | 'call'>> {
  const short = shortForm(block.arguments);
  const shortBlock = { ...block, arguments: JSON.stringify(short) };
  try {
    const artifact = await artifacts.save(Buffer.from(block.arguments));
    const keptBlock = { ...shortBlock, argumentsArtifact: artifact };
    if (call.do !== 'run') return { block: keptBlock, call };
    const filled = withDefaults(block.arguments, call.input);
    const inputArtifact = filled === undefined ? artifact : await artifacts.save(Buffer.from(filled));
    // What a person is asked about is what will run.
    const input = call.changedBy && filled !== undefined ? shortForm(filled) : short;
    return { block: keptBlock, call: { ...call, input, inputArtifact } };
  } catch (error) {
    const result = argumentsNotKept(block, bytes, wireLine(errorText(error)));
    return { block: shortBlock, call: { do: 'answer', callId: call.callId, name: call.name, result } };
  }
}

/** The JSON text of a planned input, where the plan has added to what the model wrote. */
function withDefaults(written: string, input: Json): string | undefined {
  const parsed = parseJson(written);
  return parsed.ok && isDeepStrictEqual(parsed.value, input) ? undefined : JSON.stringify(input);
}

/** Valid arguments of the same fields, with the beginnings of their texts: for people, summaries and lists. */
function shortForm(written: string): JsonObject {
  const parsed = parseJson(written);
  if (!parsed.ok || !isJsonObject(parsed.value)) return { cut: beginning(written) };
  const fields = Object.entries(parsed.value).slice(0, SHOWN_FIELDS);
  return Object.fromEntries(fields.map(([name, value]) => [beginning(name), shortValue(value)]));
}

function shortValue(value: Json): Json {
  if (typeof value === 'string') return beginning(value);
  if (typeof value !== 'object' || value === null) return value;
  try {
    return beginning(JSON.stringify(value));
  } catch {
    // Nested so deep that it can't be written.
    return '…';
  }
}

function beginning(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}… [${text.length} characters]`;
}

/**
 * The transcript as the model wrote it. What is not in this worker's store may be in another's, so that it is thrown
 * at first, as a retryable fault; a turn does not end for it: at last the short form has to do.
 */
export async function withWholeArguments(
  messages: readonly Message[],
  artifacts: Artifacts,
  attempt: number,
): Promise<readonly Message[]> {
  if (!messages.some((message) => message.role === 'assistant' && message.content.some(isMoved)))
    return messages;
  return await Promise.all(
    messages.map(async (message) => {
      if (message.role !== 'assistant' || !message.content.some(isMoved)) return message;
      const content = await Promise.all(
        message.content.map((block) => wholeBlock(block, artifacts, attempt)),
      );
      return { ...message, content };
    }),
  );
}

type Block = AssistantMessage['content'][number];

function isMoved(block: Block): boolean {
  return block.type === 'tool_call' && block.argumentsArtifact !== undefined;
}

async function wholeBlock(block: Block, artifacts: Artifacts, attempt: number): Promise<Block> {
  if (block.type !== 'tool_call' || !block.argumentsArtifact) return block;
  try {
    const whole = await artifacts.load(block.argumentsArtifact);
    return { ...block, arguments: Buffer.from(whole).toString('utf8') };
  } catch (error) {
    if (attempt < LAST_TRY) throw error;
    return block;
  }
}

/** A worker that is not ours has not our artifacts: what is kept there can't be given to it. */
export function refuseTooLongForRemote(planned: Planned, remote: ReadonlySet<string>): Planned {
  const calls = planned.calls.map((call): PlannedCall => {
    if (call.do !== 'run' || !call.inputArtifact || !remote.has(call.name)) return call;
    const { callId, name, inputArtifact } = call;
    const result = tooLongForRemote({ id: callId, name }, inputArtifact.bytes);
    return { do: 'answer', callId, name, result };
  });
  return { ...planned, calls };
}

/** A tool call with the arguments that it was planned with. Throws a retryable `Artifact.NotFound`. */
export async function withWholeInput(input: RunToolInput, artifacts: Artifacts): Promise<RunToolInput> {
  if (!input.inputArtifact) return input;
  const parsed = parseJson(Buffer.from(await artifacts.load(input.inputArtifact)).toString('utf8'));
  return { ...input, input: parsed.ok ? parsed.value : input.input };
}
