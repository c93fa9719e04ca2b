import { randomUUID } from 'node:crypto';
import { type Message, textOf } from '../../src/shared/messages.js';
import { type Script, text } from '../../src/testing/index.js';

const MODEL_CALLS = 8;

/** One provider for the turns of many tests: which script it follows is told by the prompt that is in the first user message. */
export class ScriptByPrompt {
  readonly #scripts = new Map<string, Script>();
  readonly script: Script;

  constructor() {
    this.script = Array.from({ length: MODEL_CALLS }, (_, index): Script[number] => {
      return (messages, request) => {
        const entry = this.#scriptOf(messages)?.[index] ?? text('the next turn');
        return typeof entry === 'function' ? entry(messages, request) : entry;
      };
    });
  }

  /** Returns the prompt of the turn that is to go by the script. */
  add(script: Script): string {
    const prompt = `turn-${randomUUID().slice(0, 8)}`;
    this.#scripts.set(prompt, script);
    return prompt;
  }

  #scriptOf(messages: readonly Message[]): Script | undefined {
    const first = messages.find((message) => message.role === 'user');
    const said = first ? textOf(first) : '';
    return [...this.#scripts].find(([prompt]) => said.includes(prompt))?.[1];
  }
}
