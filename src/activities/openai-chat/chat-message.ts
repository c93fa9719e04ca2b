import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { ModelPart } from '../../shared/model-port.js';
import { reasoningAccumulator } from './chat-reasoning.js';
import { toolCallFragments } from './tool-call-fragments.js';

/** The message of a reply, from its deltas, from the whole of it, or from both. */
export function chatMessage(origin: string, onText: (text: string) => void) {
  const calls = toolCallFragments(origin);
  const reasoning = reasoningAccumulator(origin);
  let text = '';
  let refused = false;
  let heard = 0;

  function addText(piece: string): void {
    if (piece === '') return;
    text += piece;
    onText(piece);
  }

  function addRefusal(piece: string): void {
    refused ||= piece !== '';
    addText(piece);
  }

  return {
    /** Whether it said anything. */
    add(delta: JsonObject): boolean {
      const says = saysAnything(delta);
      if (says) heard += 1;
      reasoning.add(delta);
      addText(plainText(delta['content']));
      addRefusal(plainText(delta['refusal']));
      for (const fragment of callsIn(delta)) calls.add(fragment);
      return says;
    },
    /** Some servers end with the whole of what they have sent in pieces. What a piece brought already counts. */
    complete(message: JsonObject): void {
      if (reasoning.parts().length === 0) reasoning.add(message);
      const whole = plainText(message['content']);
      if (whole.startsWith(text)) addText(whole.slice(text.length));
      if (!refused) addRefusal(plainText(message['refusal']));
      calls.complete(callsIn(message));
    },
    /** How many deltas said anything. */
    heard: () => heard,
    refused: () => refused,
    hasWholeCalls: () => calls.areWhole(),
    content(): { content: ModelPart[]; hasCalls: boolean } {
      const said: ModelPart[] = text === '' ? [] : [{ type: 'text', text }];
      const parts = calls.parts();
      return { content: [...reasoning.parts(), ...said, ...parts], hasCalls: parts.length > 0 };
    },
  };
}

function callsIn(delta: JsonObject): Json[] {
  // Portkey's gateway sends Cohere's as they are, one for itself and not in a list.
  const list: Json[] = [delta['tool_calls'] ?? []].flat();
  // The form before there were several calls in one reply.
  const old = delta['function_call'];
  return isJsonObject(old) ? [...list, { index: 0, function: old }] : list;
}

/** Many servers send the role at once, and what is said when the model has come to it. */
function saysAnything({ role: _role, ...delta }: JsonObject): boolean {
  return Object.values(delta).some((value) => (Array.isArray(value) ? value.length > 0 : Boolean(value)));
}

/** A text, or a list of text parts as some gateways send it. */
function plainText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((part) => (isJsonObject(part) ? plainText(part['text']) : '')).join('');
}
