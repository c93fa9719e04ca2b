import type { Artifacts } from '../artifacts/artifacts.js';
import { type ArtifactRef, keptNote, readRestHint } from '../shared/artifacts.js';
import { type ToolResultBlock, textContent } from '../shared/messages.js';
import { asIs, cutInMiddle, textsIn } from '../shared/shown-text.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { valueText } from './value-text.js';

/** The most of a result that the model is given, in UTF-8 bytes; mini-claw-code has the same bound. */
export const MAX_RESULT_BYTES = 100_000;

/**
 * What a tool returned, as its result: a text as it is, anything else as JSON, nothing as nothing. What is too long for
 * the model is cut in the middle, and kept whole as an artifact, unless the tool has kept one (`own`) itself. Throws
 * where nothing of the value can be read, and nowhere else.
 */
export async function resultContent(
  callId: string,
  value: unknown,
  artifacts: Artifacts,
  own?: ArtifactRef,
  maxBytes: number = MAX_RESULT_BYTES,
): Promise<Pick<ToolResultBlock, 'content' | 'artifact'>> {
  const content = textsIn(value);
  const kept = own && { artifact: own };
  if (content === undefined || content === null || content === '') {
    return { content: own ? textContent(callId, keptNote(own, '')) : [], ...kept };
  }
  const whole = valueText(content);
  const short = asIs(whole, maxBytes);
  if (short !== undefined) {
    return { content: textContent(callId, own ? short + keptNote(own, short) : short), ...kept };
  }
  if (own) {
    const text = cutInMiddle(whole, maxBytes, () => 'the tool has kept something else');
    return { content: textContent(callId, text + keptNote(own, text)), ...kept };
  }
  try {
    const artifact = await artifacts.save(whole.bytes);
    const text = cutInMiddle(whole, maxBytes, (offset) => readRestHint(artifact, offset));
    return { content: textContent(callId, text), artifact };
  } catch (error) {
    const why = wireLine(errorText(error));
    return {
      content: textContent(
        callId,
        cutInMiddle(whole, maxBytes, () => `they could not be kept: ${why}`),
      ),
    };
  }
}
