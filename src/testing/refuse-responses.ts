import { parseJson } from '../shared/json.js';
import { refuseFile, refuseImage } from './data-url.js';
import { nameProblem, PROVIDER_NAME } from './refuse-request.js';
import { refuseStrictSchema } from './refuse-schema.js';
import { itemsOf, type ResponsesRequest, textOf, type WireItem } from './responses-request.js';
import { isOurs } from './responses-wire.js';

/**
 * What OpenAI would refuse this Responses request for, or undefined: outputs that are missing, repeated or before
 * their call; reasoning without its encrypted content, or without what it led to; names that are no names.
 */
export function refuseResponses(request: ResponsesRequest): string | undefined {
  if (request.background && request.store === false) return 'Background mode requires store to be true.';
  if (request['previous_response_id']) return 'Previous response not found: the script stores none.';
  for (const tool of request.tools ?? []) {
    if (!PROVIDER_NAME.test(tool.name)) return nameProblem('tools', tool.name);
    // A schema that isn't said not to be strict is taken for a strict one.
    const problem = tool.strict === false ? undefined : refuseStrictSchema(tool.parameters ?? {});
    if (problem !== undefined) return `Invalid schema for function '${tool.name}': ${problem}`;
  }
  const format = request.text?.format;
  const problem = format?.strict ? refuseStrictSchema(format.schema ?? {}) : undefined;
  if (problem !== undefined) return `Invalid schema for response_format '${format?.name}': ${problem}`;
  return refuseItems(itemsOf(request));
}

function refuseItems(items: readonly WireItem[]): string | undefined {
  const calls = new Set<string>();
  let unanswered: string[] = [];
  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`;
    if (item.type === 'function_call_output') {
      if (!unanswered.includes(item.call_id)) return `No tool call found for ${where}, ${item.call_id}.`;
      unanswered = unanswered.filter((id) => id !== item.call_id);
      if (isEmpty(item.output)) return `${where}: output must not be empty.`;
      const problem = refuseParts(item.output);
      if (problem !== undefined) return `${where}: ${problem}`;
      continue;
    }
    if (item.type === 'function_call') {
      if (calls.has(item.call_id)) return `${where}: Duplicate item found with call_id ${item.call_id}.`;
      calls.add(item.call_id);
      unanswered.push(item.call_id);
    } else if (unanswered.length > 0)
      return `No tool output found for function call ${unanswered.join(', ')}.`;
    const problem = refuseItem(where, item, items[at + 1]);
    if (problem !== undefined) return problem;
  }
  return unanswered.length > 0
    ? `No tool output found for function call ${unanswered.join(', ')}.`
    : undefined;
}

function refuseItem(
  where: string,
  item: Exclude<WireItem, { type: 'function_call_output' }>,
  next: WireItem | undefined,
): string | undefined {
  if ('role' in item) {
    const problem = isEmpty(item.content) ? 'content must not be empty.' : refuseParts(item.content);
    return problem === undefined ? undefined : `${where}: ${problem}`;
  }
  if (item.type === 'function_call') {
    if (!PROVIDER_NAME.test(item.call_id)) return nameProblem(`${where}.call_id`, item.call_id);
    if (!PROVIDER_NAME.test(item.name)) return nameProblem(`${where}.name`, item.name);
    return parseJson(item.arguments).ok ? undefined : `${where}: the arguments are not JSON.`;
  }
  if (!item.encrypted_content) return `Item with id '${item.id}' not found. Items are not persisted.`;
  if (!isOurs(item.encrypted_content))
    return `The encrypted content for item ${item.id} could not be verified.`;
  const follows = next?.type === 'reasoning' || next?.type === 'function_call' || isAssistant(next);
  return follows
    ? undefined
    : `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
}

function isAssistant(item: WireItem | undefined): boolean {
  return item !== undefined && 'role' in item && item.role === 'assistant';
}

function refuseParts(content: Parameters<typeof textOf>[0]): string | undefined {
  if (typeof content === 'string') return undefined;
  return content
    .map((part) => {
      if (part.type === 'input_image') return refuseImage(part['image_url']);
      return part.type === 'input_file' ? refuseFile(part) : undefined;
    })
    .find((problem) => problem !== undefined);
}

function isEmpty(content: Parameters<typeof textOf>[0]): boolean {
  if (typeof content === 'string') return content === '';
  return content.length === 0 || content.some((part) => /text$/.test(part.type) && textOf([part]) === '');
}
