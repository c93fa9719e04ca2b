import type { AnyTool } from '../define/define-agent.js';
import type { Message, ToolCallBlock } from '../shared/messages.js';
import type { ModelPart } from '../shared/model-port.js';
import { uniqueId } from '../shared/transcript.js';
import { wireId, wireLine } from '../shared/wire-text.js';

type CallPart = Extract<ModelPart, { type: 'tool_call' }>;

/** A call as the transcript keeps it, with an id that no other call there has, and a name that providers take back. */
export function callBlock(
  part: CallPart,
  fallbackId: string,
  tool: AnyTool | undefined,
  ids: { used: Set<string>; suffix: string },
): ToolCallBlock {
  const wanted = fitForProviders(part.id) || fitForProviders(fallbackId);
  const id = uniqueId(wanted.slice(0, 64 - ids.suffix.length) + ids.suffix, ids.used);
  const name = tool?.name ?? (fitForProviders(part.name) || 'unnamed_tool');
  return {
    type: 'tool_call',
    id,
    name,
    arguments: part.arguments.toWellFormed(),
    ...(id !== part.id && part.id !== '' && { providerId: wireId(part.id) }),
    ...(name !== part.name && { requestedName: wireLine(part.name) }),
    ...(part.opaque !== undefined && { opaque: part.opaque }),
  };
}

/** Ids and names are sent back with every later request, and providers refuse other characters in them for ever. */
function fitForProviders(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}

/** A long transcript is looked through at each call. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const block of message.content) if (block.type === 'tool_call') ids.add(block.id);
  }
  return ids;
}
