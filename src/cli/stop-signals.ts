import { EXIT_INTERRUPTED } from './exit-codes.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Interruptible = { interrupt(reason: string): Promise<unknown> };

/**
 * What asks a command to stop: SIGINT, SIGTERM, SIGHUP, or nobody who reads what it prints any more. Before there is a
 * turn the process ends at once; then the first one interrupts the turn, and a second one leaves it to its fate.
 */
export class StopSignals {
  /** Why the turn is to end, once somebody asked. */
  #asked: string | undefined;
  #starting = false;
  #turn: Interruptible | undefined;
  readonly #listeners = SIGNALS.map((signal) => ({ signal, listener: () => this.#onSignal(signal) }));

  constructor() {
    for (const { signal, listener } of this.#listeners) process.on(signal, listener);
    process.stdout.on('error', () => this.#onUnread());
    // Where the terminal is gone there is nobody to tell.
    process.stderr.on('error', () => undefined);
  }

  /** From here on a turn may exist: a signal waits until `watch` names it. */
  starting(): void {
    this.#starting = true;
  }

  watch(turn: Interruptible): void {
    this.#turn = turn;
    if (this.#asked !== undefined) this.#interrupt(this.#asked);
  }

  /** The turn has ended: signals do again what they do by default. */
  release(): void {
    for (const { signal, listener } of this.#listeners) process.off(signal, listener);
    this.#turn = undefined;
  }

  #onSignal(signal: string): void {
    if (!this.#starting || this.#asked !== undefined) process.exit(EXIT_INTERRUPTED);
    process.stderr.write('\nInterrupting the turn. Press Ctrl-C again to leave without waiting.\n');
    this.#ask(signal === 'SIGINT' ? 'Ctrl-C' : signal);
  }

  #onUnread(): void {
    if (this.#asked === undefined) this.#ask('nobody reads its output');
  }

  #ask(reason: string): void {
    this.#asked = reason;
    this.#interrupt(reason);
  }

  #interrupt(reason: string): void {
    this.#turn
      ?.interrupt(reason)
      .catch((error: unknown) => process.stderr.write(`It could not be interrupted: ${String(error)}\n`));
  }
}
