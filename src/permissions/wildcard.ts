/** One step of a pattern: a character, any one character, or any number of any. */
type Step = { is: 'literal'; char: string } | { is: 'one' } | { is: 'any' };

/** A pattern as people write it: `*` is any text, `\` takes the next character as it is. */
export class Wildcard {
  readonly #steps: readonly Step[];
  /** The longest text that all that matches has in it: most texts are told by that. */
  readonly #needed: string;

  /** `one`: whether `?` is any one character, as in paths. */
  constructor(pattern: string, options: { one?: boolean } = {}) {
    this.#steps = stepsOf(pattern, options.one ?? false);
    const literals = this.#steps.map((step) => (step.is === 'literal' ? step.char : '*\u0000'));
    this.#needed = literals
      .join('')
      .split('*\u0000')
      .reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  }

  /** Compares character by character. Takes time in proportion to text times pattern, whatever they are. */
  matches(text: string): boolean {
    if (!text.includes(this.#needed)) return false;
    let [at, step, lastAny, resumeAt] = [0, 0, -1, 0];
    while (at < text.length) {
      const here = this.#steps[step];
      if (here?.is === 'any') {
        [lastAny, resumeAt] = [step, at];
        step += 1;
      } else if (here && (here.is === 'one' || here.char === text[at])) {
        step += 1;
        at += 1;
      } else if (lastAny >= 0) {
        resumeAt += 1;
        [step, at] = [lastAny + 1, resumeAt];
      } else return false;
    }
    return this.#steps.slice(step).every(({ is }) => is === 'any');
  }
}

function stepsOf(pattern: string, hasOne: boolean): Step[] {
  const steps: Step[] = [];
  let isEscaped = false;
  // Unit by unit of UTF-16, as texts are compared.
  for (const char of pattern.split('')) {
    if (isEscaped) steps.push({ is: 'literal', char });
    else if (char === '*') steps.push({ is: 'any' });
    else if (char === '?' && hasOne) steps.push({ is: 'one' });
    else if (char !== '\\') steps.push({ is: 'literal', char });
    isEscaped = char === '\\' && !isEscaped;
  }
  if (isEscaped) steps.push({ is: 'literal', char: '\\' });
  return steps;
}

/** A pattern that matches this text and no other. */
export function literally(text: string): string {
  return text.replace(/[\\*?]/g, (char) => `\\${char}`);
}
