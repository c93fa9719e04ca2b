import { InvalidInput, SessionClosed, SessionNotFound } from '../../client/errors.js';
import { EXIT_FAILED } from '../exit-codes.js';
import { cut, oneLine } from '../table.js';
import { ChatProblem, runCommand } from './commands.js';
import { type Conversation, GO_ON } from './conversation.js';
import { isCommand } from './screen.js';
import type { Serving } from './serve.js';

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/**
 * Takes lines until somebody leaves: `once`, by /exit, Ctrl-D or the end of a pipe, or `twice`, by two Ctrl-C. Throws what
 * the session's watching or its worker has failed with.
 */
export async function talk(
  conversation: Conversation,
  serving: Serving,
  history: readonly string[],
): Promise<'once' | 'twice'> {
  const talking = new Talk(conversation);
  try {
    const failed = serving.ended.then(() => {
      throw new Error('The worker of this chat has ended.');
    });
    return await Promise.race([talking.begin(history), failed]);
  } finally {
    talking.end();
    await conversation.leave();
  }
}

class Talk {
  readonly #chat: Conversation;
  #leave: (how: 'once' | 'twice') => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  /** Lines are taken one after the other. */
  #taken: Promise<void> = Promise.resolve();
  /** Those of which nothing has come yet. */
  readonly #waiting: string[] = [];
  #hasInputEnded = false;
  /** Ctrl-C was the last that came. */
  #isArmed = false;
  readonly #onSignal = () => {
    if (this.#chat.screen.isTerminal) this.#leave('once');
    else this.#interrupt();
  };

  constructor(chat: Conversation) {
    this.#chat = chat;
  }

  async begin(history: readonly string[]): Promise<'once' | 'twice'> {
    const { screen } = this.#chat;
    return await new Promise((resolve, reject) => {
      this.#leave = resolve;
      this.#fail = reject;
      this.#chat.onFault = reject;
      this.#chat.onUnsent = (error) => this.#problem(error);
      this.#chat.onEnd = () => {
        this.#sessionEnded();
        resolve('once');
      };
      for (const signal of SIGNALS) process.on(signal, this.#onSignal);
      screen.listen(
        {
          line: (text) => this.#line(text),
          interrupt: (typed) => this.#onInterrupt(typed),
          key: () => this.#disarm(),
          end: () => this.#ended(),
        },
        history,
      );
    });
  }

  end(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    this.#chat.screen.close();
  }

  #disarm(): void {
    this.#isArmed = false;
  }

  /** In a pipe each line waits for the turn of the one before. */
  #line(text: string): void {
    const isCompacting = this.#chat.compactions.isRunning;
    if (isCompacting && text.trim() === '/exit') {
      this.#leave('once');
      return;
    }
    if (isCompacting) this.#chat.remark('  ↳ waits for the compaction');
    this.#waiting.push(text);
    this.#taken = this.#taken
      .then(() => this.#take(text).finally(() => this.#waiting.shift()))
      .then(() => (this.#chat.screen.isTerminal ? undefined : this.#chat.idle()))
      .catch((error: unknown) => this.#problem(error));
  }

  /** Whoever pipes lines in is told by the exit code that some were not sent, or can't be any more. */
  #sessionEnded(): void {
    const { screen } = this.#chat;
    this.#chat.note('The session has ended.');
    for (const text of this.#waiting) this.#chat.note(`Not sent: “${cut(oneLine(text), 60)}”`);
    const isCut = !screen.isTerminal && !this.#hasInputEnded;
    if (isCut || this.#waiting.length > 0) this.#chat.exitCode = EXIT_FAILED;
  }

  /** What waits for the person's next line stays as it is. */
  #ended(): void {
    this.#hasInputEnded = true;
    if (this.#chat.screen.isTerminal) this.#leave('once');
    else void this.#taken.then(() => this.#chat.idle()).then(() => this.#leave('once'));
  }

  async #take(text: string): Promise<void> {
    const line = text.trim();
    if (line === '/exit') return this.#leave('once');
    if (isCommand(line)) return await runCommand(this.#chat, line);
    // A turn that has just ended takes no message any more.
    if (line !== '') return await this.#say(text);
    if (this.#chat.isAtLimit && !this.#chat.isBusy) await this.#chat.say(GO_ON, 'queue');
  }

  async #say(text: string): Promise<void> {
    try {
      await this.#chat.say(text, this.#chat.isBusy ? 'steer' : 'queue');
    } catch (error) {
      if (!(error instanceof SessionClosed)) throw error;
      throw new SessionClosed('The session takes no message any more: this one was not sent.');
    }
  }

  #problem(error: unknown): void {
    if (!isForeseen(error)) {
      this.#fail(error);
      return;
    }
    const { screen } = this.#chat;
    const isClosed = error instanceof SessionClosed;
    this.#chat.isClosed ||= isClosed;
    const text = error.message;
    this.#chat.note(screen.terminal.style.red(text));
    if (isClosed || !screen.isTerminal) this.#chat.exitCode = EXIT_FAILED;
  }

  /** Whether what was typed is to go. */
  #onInterrupt(typed: string): boolean {
    if (this.#isArmed) {
      this.#leave('twice');
      return false;
    }
    if (!this.#chat.isBusy && typed !== '') return true;
    this.#interrupt();
    return false;
  }

  #interrupt(): void {
    if (this.#isArmed) {
      this.#leave('twice');
      return;
    }
    this.#isArmed = true;
    if (!this.#chat.isBusy && this.#chat.compactions.isRunning) {
      this.#chat.remark('Ending the compaction. Ctrl-C once more leaves.');
      this.#chat.session.interrupt('Ctrl-C').catch((error: unknown) => this.#problem(error));
      return;
    }
    if (!this.#chat.isBusy) {
      if (this.#chat.screen.isTerminal) this.#chat.remark('Ctrl-C once more leaves.');
      else this.#leave('twice');
      return;
    }
    this.#chat.remark('Interrupting the turn. Ctrl-C once more leaves.');
    this.#chat.interrupt().catch((error: unknown) => this.#problem(error));
  }
}

function isForeseen(error: unknown): error is Error {
  return (
    error instanceof ChatProblem ||
    error instanceof InvalidInput ||
    error instanceof SessionClosed ||
    error instanceof SessionNotFound
  );
}
