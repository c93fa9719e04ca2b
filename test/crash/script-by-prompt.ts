import { randomUUID } from 'node:crypto';
import { type Message, textOf } from '../../src/shared/messages.js';
import { type Script, text } from '../../src/testing/index.js';

const MODEL_CALLS = 8;

/** One provider for the turns of many tests: which script it follows is told by the first user message. */
export class ScriptByPrompt {
  readonly #scripts = new Map<string, Script>();
  readonly script: Script;

  constructor() {
    this.script = Array.from({ length: MODEL_CALLS }, (_, index): Script[number] => {
      return (messages, request) => {
        const entry = this.#scripts.get(promptOf(messages))?.[index] ?? text('the next turn');
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
}

function promptOf(messages: readonly Message[]): string {
  const first = messages.find((message) => message.role === 'user');
  return first ? (textOf(first).split('\n')[0] ?? '') : '';
}
