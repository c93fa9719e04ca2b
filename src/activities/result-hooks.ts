import type { Artifacts } from '../artifacts/artifacts.js';
import { hasRun, withText } from '../shared/hooks.js';
import { isJsonObject, type Json } from '../shared/json.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { errorText } from '../shared/wire-text.js';
import { type HookCalls, refuseOthers, textIn } from './hook-calls.js';
import { resultContent } from './result-content.js';

type Done = { input: Json; maxResultBytes?: number | undefined };

/**
 * The result as the hooks leave it, each of which sees what the one before has made of it. Never throws: the result of a
 * tool that has run is kept, whatever a hook does. How the call ended stays as it is.
 */
export async function afterToolCall(
  hooks: HookCalls,
  artifacts: Artifacts,
  { input, maxResultBytes }: Done,
  result: ToolResultBlock,
): Promise<ToolResultBlock> {
  const { callId, name } = result;
  const asked = { point: 'afterToolCall', callId } as const;
  if (!hasRun(result)) return result;
  let changed = result;
  for (const hook of hooks.with('afterToolCall')) {
    const done = {
      ...{ callId, name, arguments: isJsonObject(input) ? structuredClone(input) : {} },
      ...{ result: structuredClone(changed), text: textOfResult(changed) },
    };
    const change = await hooks.askSafely(hook, asked, (own, context) => own.afterToolCall?.(done, context));
    if (!change || saysTheSame(change, done.text)) continue;
    try {
      changed = await rewritten(changed, change, artifacts, maxResultBytes);
      const what = Object.keys(change).filter((field) => change[field] !== undefined);
      hooks.record(hook, asked, 'changed', what.join(', '));
    } catch (error) {
      hooks.record(hook, asked, 'failed', errorText(error));
    }
  }
  return changed;
}

/** Most hooks that rewrite have nothing to rewrite in most results. */
function saysTheSame(change: Record<string, unknown>, text: string): boolean {
  const { result = text, append = '', ...others } = change;
  return result === text && append === '' && Object.keys(others).length === 0;
}

async function rewritten(
  result: ToolResultBlock,
  change: Record<string, unknown>,
  artifacts: Artifacts,
  maxResultBytes: number | undefined,
): Promise<ToolResultBlock> {
  refuseOthers(change, 'result', 'append');
  const text = textIn(change, 'result');
  const append = textIn(change, 'append');
  // What is replaced is not to be read by another way.
  const { artifact: _whole, artifacts: _named, ...rest } = result;
  const replaced =
    text === undefined
      ? result
      : { ...rest, ...(await resultContent(result.callId, text, artifacts, undefined, maxResultBytes)) };
  return append === undefined || append === '' ? replaced : withText(replaced, append.toWellFormed());
}

function textOfResult({ content }: ToolResultBlock): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
