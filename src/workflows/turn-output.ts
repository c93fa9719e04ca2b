import type { ModelReply, OutputRequest } from '../shared/activities.js';
import type { CarriedTurn } from '../shared/carried.js';
import type { Json } from '../shared/json.js';
import type { StopReason } from '../shared/messages.js';
import type { OutcomeType } from '../shared/turn.js';

type Asks = NonNullable<CarriedTurn['output']>;

/** The output that a turn is to end with: how often the model was asked for it, and what it gave. */
export class TurnOutput {
  /** `request`: it is to be asked for by the next model call. */
  #asks: Asks = { asked: 0 };
  /** Of the last reply, where that was one. */
  value: Json | undefined;

  resume(carried: Asks | undefined): void {
    this.#asks = carried ?? this.#asks;
  }

  carried(): { output?: Asks } {
    return this.#asks.asked > 0 || this.#asks.request ? { output: this.#asks } : {};
  }

  /** What the model call that is about to be made asks for. */
  get request(): OutputRequest | undefined {
    return this.#asks.request;
  }

  /** A reply came. */
  answered(): void {
    this.#asks = { asked: this.#asks.asked };
    this.value = undefined;
  }

  /** How the turn ends by a reply that would end it. It is asked for once more where that is none; but not for ever. */
  endOf({ output }: ModelReply, maxAsks: number): OutcomeType | undefined {
    if (output?.ok) {
      this.#asks = { asked: 0 };
      this.value = output.value;
      return 'completed';
    }
    if (this.#asks.asked >= maxAsks) return 'invalid_output';
    this.#asks.request = { problems: output?.problems ?? [] };
    return undefined;
  }

  /**
   * What a message is now to ask for, or undefined. Where people have just `steered`, they go first: the model may need
   * its tools for what they say, and what it answers then is another answer, for which it is asked as often.
   */
  ask(steered: boolean): OutputRequest | undefined {
    const { asked, request } = this.#asks;
    if (steered) this.#asks = { asked: 0 };
    if (!request || steered) return undefined;
    this.#asks = { asked: asked + 1, request };
    return request;
  }
}

/** How a turn ends by a reply without tool calls. */
export function outcomeOf(stopReason: StopReason | undefined): OutcomeType {
  return stopReason === 'max_tokens' ? 'truncated' : stopReason === 'refusal' ? 'refused' : 'completed';
}
