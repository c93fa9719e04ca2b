import type { z } from 'zod';
import { errorText } from '../shared/wire-text.js';
import { problemLines } from './problem-lines.js';

/** What a tool returned, as its `output` reads it; or what is wrong with it, a line each with the path. */
export async function checkOutput(
  type: z.ZodType,
  returned: unknown,
): Promise<{ ok: true; value: unknown } | { ok: false; problems: string[] }> {
  try {
    const checked = await type.safeParseAsync(returned);
    if (checked.success) return { ok: true, value: checked.data };
    return { ok: false, problems: problemLines(checked.error.issues, '(what it returned)') };
  } catch (error) {
    return { ok: false, problems: [`the check itself failed: ${errorText(error)}`] };
  }
}
