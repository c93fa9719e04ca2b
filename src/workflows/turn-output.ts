import type { ModelReply, OutputRequest } from '../shared/activities.js';
import type { CarriedTurn } from '../shared/carried.js';
import { answerText } from '../shared/final-answer.js';
import type { Json } from '../shared/json.js';
import { type StopReason, toolCallsOf } from '../shared/messages.js';
import type { OutcomeType } from '../shared/turn.js';
import type { TurnSettings } from '../shared/turn-settings.js';

type Asks = NonNullable<CarriedTurn['output']>;

/** The output that a turn is to end with: how often the model was asked for it, and what it gave. */
export class TurnOutput {
  /** `request`: it is to be asked for by the next model call. */
  #asks: Asks = { asked: 0 };
  /** Of the last reply, where that was one. */
  value: Json | undefined;
  #closing: Json | undefined;
  /** What the last reply has given by the tool for it, and the agent's checks have let pass. */
  #given: Json | undefined;

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
    this.#given = undefined;
  }

  /** The text that the outcome has in place of the reply's. */
  get text(): string | undefined {
    return this.#given === undefined ? undefined : answerText(this.#given);
  }

  /** An answer came by the tool for it, and counts; `isOutput`: it is the agent's `output`. */
  accept(given: Json, isOutput: boolean): void {
    this.#asks = { asked: 0 };
    this.#given = given;
    if (isOutput) this.value = given;
  }

  /** How the turn ends by a reply with calls: one of them may have given the answer. A model that works is asked anew. */
  #endOfCalls(): OutcomeType | undefined {
    this.#asks = { asked: 0 };
    return this.#given === undefined ? undefined : 'completed';
  }

  /** The closing answer is the output. */
  close(given: Json): void {
    this.#closing = given;
  }

  /** Of a turn that ends so. */
  of(ending: OutcomeType | 'failed'): { output?: Json } {
    const output = ending === 'completed' ? this.value : this.#closing;
    return output === undefined ? {} : { output };
  }

  /** A check has refused the answer. The next model call is told so, with its tools. */
  refuse(problem: string): void {
    this.value = undefined;
    this.#asks = { asked: 0, request: { problems: [problem], kind: 'refused' } };
  }

  /** How the turn ends by a reply, or undefined if the loop goes on: it has calls, or its answer is asked for. */
  endOf(reply: ModelReply, settings: TurnSettings | undefined): OutcomeType | undefined {
    const { output, finalAnswer } = settings ?? {};
    if (toolCallsOf(reply.message).length > 0) return finalAnswer && this.#endOfCalls();
    const ending = outcomeOf(reply.message.stopReason);
    if (ending !== 'completed') return ending;
    if (finalAnswer) return this.#endOfAnswer(reply, finalAnswer.maxAsks, 'call');
    return output ? this.#endOfAnswer(reply, output.maxAsks) : ending;
  }

  /** How the turn ends by a reply that would end it. It is asked for once more where that is none; but not for ever. */
  #endOfAnswer({ output }: ModelReply, maxAsks: number, kind?: 'call'): OutcomeType | undefined {
    if (output?.ok) {
      this.#asks = { asked: 0 };
      this.value = output.value;
      return 'completed';
    }
    if (this.#asks.asked >= maxAsks) return 'invalid_output';
    this.#asks.request = { problems: output?.problems ?? [], ...(kind && { kind }) };
    return undefined;
  }

  /**
   * What a message is now to ask for, or undefined. Where people have just `steered`, they go first: the model may need
   * its tools for what they say, and what it answers then is another answer, for which it is asked as often.
   */
  ask(steered: boolean): OutputRequest | undefined {
    const { asked, request } = this.#asks;
    if (request?.kind === 'refused') return request;
    if (steered) this.#asks = { asked: 0 };
    if (!request || steered) return undefined;
    this.#asks = { asked: asked + 1, request };
    return request;
  }
}

/** How a reply without tool calls ends a turn. */
function outcomeOf(stopReason: StopReason | undefined): OutcomeType {
  return stopReason === 'max_tokens' ? 'truncated' : stopReason === 'refusal' ? 'refused' : 'completed';
}
