import type { JsonObject } from '../../shared/json.js';

type Progress = 'not begun' | 'begun' | 'whole';

/** A tool call whose arguments come in pieces. */
export type GrowingCall = {
  id: string;
  name: string;
  arguments: string;
  extra: JsonObject;
  progress: Progress;
  /** Where a stream has it, as far as the stream tells. */
  index: string | undefined;
  /** Ids that came later at its index, with neither a name nor a call of their own. */
  otherIds: Set<string>;
  /** A piece that it was given turned out to be another call's. */
  isTorn: boolean;
  grow(text: string): void;
  /** Begins its arguments anew. */
  empty(): void;
};

/** Follows the braces and strings of the arguments, so that no piece needs another look at those before it. */
export function growingCall(index: string | undefined): GrowingCall {
  let depth = 0;
  let inText = false;
  let escaped = false;

  function follow(character: string): void {
    if (inText) {
      if (escaped) escaped = false;
      else if (character === '\\') escaped = true;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  }

  return {
    id: '',
    name: '',
    arguments: '',
    extra: {},
    progress: 'not begun',
    index,
    otherIds: new Set(),
    isTorn: false,
    grow(text) {
      this.arguments += text;
      for (const character of text) {
        if (character.trim() === '') continue;
        follow(character);
        this.progress = depth === 0 && !inText && /[}\]]/.test(character) ? 'whole' : 'begun';
      }
    },
    empty() {
      this.arguments = '';
      this.progress = 'not begun';
      depth = 0;
      inText = false;
      escaped = false;
    },
  };
}
