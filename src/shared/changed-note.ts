import type { RunToolInput } from './activities.js';
import type { ToolResultBlock } from './messages.js';
import { wireText } from './wire-text.js';

/** The model is to know with what its call was really run. */
export function withNote(
  { changed, input }: Pick<RunToolInput, 'changed' | 'input'>,
  result: ToolResultBlock,
): ToolResultBlock {
  if (!changed) return result;
  const hasRun = result.cause !== 'invalid_arguments';
  const text = wireText(
    `[The user changed the arguments${hasRun ? ', and it was run with' : ' to'}: ${JSON.stringify(input)}]`,
    4000,
  );
  const note = { type: 'text' as const, id: `${result.callId}.${result.content.length}`, text };
  return { ...result, content: [...result.content, note] };
}
