import type { PlannedCall } from './activities.js';
import type { NewEvent } from './events.js';
import type { ToolCallBlock, ToolResultBlock } from './messages.js';
import { type AskedCall, type PersonDecision, resultOfDecision } from './people.js';
import { requestEvent } from './request-event.js';
import type { TurnSettings } from './turn-settings.js';

/** Of the last reply: the calls that people are asked about. */
export class AskedCalls {
  /** What nobody has been told of yet. */
  #events: NewEvent[] = [];
  #questions = new Set<string>();
  /** Results that a person has to approve. */
  #answers = new Map<string, ToolResultBlock>();

  /** A reply has come; nobody is asked about what has its result. */
  begin(calls: readonly PlannedCall[], answered: readonly ToolResultBlock[]): void {
    const has = new Set(answered.map(({ callId }) => callId));
    this.#events = calls.filter(({ callId }) => !has.has(callId)).flatMap(requestEvent);
    this.#questions = new Set(calls.flatMap((call) => (call.do === 'question' ? [call.callId] : [])));
    const answers = calls.flatMap((call) => (call.do === 'answer' && call.asks ? [call.result] : []));
    this.#answers = new Map(answers.map((result) => [result.callId, result]));
  }

  takeEvents(): NewEvent[] {
    return this.#events.splice(0);
  }

  /** What a decision settles a call with; undefined where it is to run. */
  resultOf(
    { id, name }: ToolCallBlock,
    decision: PersonDecision,
    settings: TurnSettings | undefined,
  ): ToolResultBlock | undefined {
    const isSubAgent = settings?.tools.some((tool) => tool.name === name && tool.agent);
    const answer = this.#answers.get(id);
    const kind: AskedCall = this.#questions.has(id)
      ? 'question'
      : answer
        ? 'answer'
        : isSubAgent
          ? 'sub_agent'
          : 'tool';
    return resultOfDecision({ id, name }, decision, kind) ?? answer;
  }
}
