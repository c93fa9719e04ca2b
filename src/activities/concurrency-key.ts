import type { AnyTool } from '../define/define-agent.js';
import type { Json } from '../shared/json.js';
import { distinctWireId, errorText } from '../shared/wire-text.js';

/** Which other calls of its reply a call must not run beside, as its tool says; what that throws is a problem. */
export async function concurrencyKeyOf(
  tool: AnyTool,
  input: Json,
): Promise<{ concurrencyKey?: string } | { problem: string }> {
  if (!tool.concurrencyKey) return {};
  try {
    const key: unknown = await tool.concurrencyKey(await tool.input.parseAsync(input));
    if (key === undefined) return {};
    return typeof key === 'string'
      ? { concurrencyKey: distinctWireId(key) }
      : { problem: `its concurrencyKey gave ${typeof key}, and must give a string or undefined` };
  } catch (error) {
    return { problem: errorText(error) };
  }
}
