/** Turns that have not ended, as far as a chat knows, those whose messages wait among them. */
export class OpenTurns {
  readonly #ids = new Set<string>();
  /** What was sent to wait for its turn, by the id of that. */
  readonly #waiting = new Map<string, string>();
  #whenIdle: (() => void)[] = [];
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isBusy(): boolean {
    return this.#ids.size > 0;
  }

  has(turnId: string): boolean {
    return this.#ids.has(turnId);
  }

  opened(turnId: string): void {
    this.#ids.add(turnId);
    this.#onChange();
  }

  closed(turnId: string): void {
    this.#waiting.delete(turnId);
    this.#ids.delete(turnId);
    this.#onChange();
    if (!this.isBusy) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  waits(turnId: string, text: string): void {
    this.#waiting.set(turnId, text);
  }

  isWaiting(turnId: string): boolean {
    return this.#waiting.has(turnId);
  }

  /** The message that waits for that turn, which is waited for no more. */
  takenBack(turnId: string): string | undefined {
    const text = this.#waiting.get(turnId);
    this.#waiting.delete(turnId);
    return text;
  }

  /** Of another session nothing is known yet. */
  forget(): void {
    this.#ids.clear();
    this.#waiting.clear();
  }

  async idle(): Promise<void> {
    if (this.isBusy) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }
}
