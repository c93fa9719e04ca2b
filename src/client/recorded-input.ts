import { areNamedArtifacts, type NamedArtifact } from '../shared/artifact-names.js';
import { isTranscriptBase, type TranscriptBase } from '../shared/carried.js';
import { isJsonObject } from '../shared/json.js';
import { isMessage, type Message } from '../shared/messages.js';
import { isPromptParts, type PromptPart } from '../shared/prompt-parts.js';
import { isListOf } from '../shared/shape.js';
import type { TurnInput } from '../shared/turn-input.js';

const isTranscript = isListOf(isMessage);

/** What can be shown of what a turn was started with: whoever starts a workflow may give it anything. */
export function recordedInput(raw: unknown): TurnInput {
  const given = isJsonObject(raw) ? raw : {};
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const { transcript, attachments, earlier, artifacts } = given;
  const [instructions, model] = [text('instructions'), text('model')];
  return {
    v: 1,
    agent: text('agent') ?? '',
    prompt: text('prompt') ?? '',
    ...(isPromptParts(attachments, '').length === 0 && { attachments: attachments as PromptPart[] }),
    ...(isTranscript(transcript, '').length === 0 && { transcript: transcript as unknown as Message[] }),
    ...(isTranscriptBase(earlier, '').length === 0 && { earlier: earlier as unknown as TranscriptBase }),
    ...(areNamedArtifacts(artifacts, '').length === 0 && {
      artifacts: artifacts as unknown as NamedArtifact[],
    }),
    ...(instructions !== undefined && { instructions }),
    ...(model !== undefined && { model }),
  };
}
