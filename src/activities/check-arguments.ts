import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { AnyTool } from '../define/define-agent.js';
import type { Json, JsonObject } from '../shared/json.js';
import { errorText } from '../shared/wire-text.js';
import { fillDefaults } from './fill-defaults.js';
import { problemLines } from './problem-lines.js';

/**
 * What a tool is to be run with: the model's own JSON with the schema's defaults filled in. No transform has touched it,
 * for the tool's activity reads it once more. Or what is wrong with it, a line each with the path and what was expected;
 * a schema that throws is a problem like any other.
 */
export async function checkArguments(
  { input: type }: AnyTool,
  written: JsonObject,
): Promise<{ ok: true; input: Json } | { ok: false; problems: string[] }> {
  try {
    const checked = await type.safeParseAsync(written);
    const { value, unknown } = await fillDefaults(type, written);
    if (!checked.success || unknown.length > 0) {
      const issues: readonly z.core.$ZodIssue[] = checked.error?.issues ?? [];
      return { ok: false, problems: [...unknown, ...problemLines(issues)] };
    }
    const fits = isDeepStrictEqual(value, written) || (await type.safeParseAsync(value)).success;
    return { ok: true, input: fits ? value : written };
  } catch (error) {
    return { ok: false, problems: [`the check itself failed: ${errorText(error)}`] };
  }
}
