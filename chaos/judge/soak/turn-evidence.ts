import type { Client } from '@temporalio/client';
import type { Message, TurnOutcome } from 'holdfast/client';
import { decodePayloads } from '../../../dist/client/payloads.js';
import { marksOf } from '../../soak/messages.js';
import { type HistoryEvent, type RunSize, runsOf, sizeOf } from '../chain.js';
import type { CommittedResult, Covers, TurnRecord } from './record.js';

type Part = { type: string; text?: string };
type Asked = { prompt?: string; attachments?: Part[]; steers?: string[] };
type Answered = {
  record?: { method?: string; covers?: Covers };
  message?: Message;
  result?: { callId: string; content: Part[] };
};
type Activity = { type: string; input: Asked };

/** What one turn's runs have committed, from their event histories; `sizes` gets one line for each of them. */
export async function readTurn(client: Client, turnId: string, sizes: RunSize[]): Promise<TurnRecord> {
  const decode = async (payloads: Parameters<typeof decodePayloads>[1]) =>
    (await decodePayloads(client.options.loadedDataConverter, payloads))[0];
  const reading = new TurnReading(turnId);
  for await (const events of runsOf(client, turnId)) {
    sizes.push(sizeOf(turnId, events));
    const activities = new Map<string, Activity>();
    for (const event of events) {
      const started = event.workflowExecutionStartedEventAttributes;
      if (started) reading.started((await decode(started.input?.payloads)) as Asked);
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled) {
        const type = scheduled.activityType?.name ?? '';
        const input = ((await decode(scheduled.input?.payloads)) ?? {}) as Asked;
        activities.set(String(event.eventId), { type, input });
        reading.scheduled(type, input);
      }
      // The one timer of a turn is the end of the wait after an interrupt: what comes later is not waited for.
      if (event.timerFiredEventAttributes) reading.isSettled = true;
      const completed = event.activityTaskCompletedEventAttributes;
      const activity = activities.get(String(completed?.scheduledEventId));
      if (!activity) continue;
      reading.completed(activity, ((await decode(completed?.result?.payloads)) ?? {}) as Answered);
    }
    const last = events.at(-1);
    const outcome = last?.workflowExecutionCompletedEventAttributes?.result?.payloads;
    reading.record.ended = endOf(last, (await decode(outcome)) as TurnOutcome | undefined);
  }
  return reading.record;
}

class TurnReading {
  readonly record: TurnRecord;
  isSettled = false;
  #replyId = '';
  readonly #told = new Set<string>();

  constructor(turnId: string) {
    this.record = {
      turnId,
      ended: 'unknown to the server',
      committed: [],
      results: [],
      compactions: 0,
      covers: [],
    };
  }

  /** Each of its runs has the same input. Several messages that were too late for the turn before are its prompt together. */
  started({ prompt = '', attachments = [] }: Asked): void {
    const texts = [prompt, ...attachments.map(({ text = '' }) => text)];
    for (const key of texts.flatMap(marksOf)) this.#commit('said', key);
  }

  scheduled(type: string, { steers = [] }: Asked): void {
    if (type !== 'holdfast.callModel') return;
    const { turnId } = this.record;
    const sessionId = turnId.slice(0, turnId.lastIndexOf('/'));
    for (const id of steers) this.#commit('said', `${sessionId}/${id}`);
  }

  completed({ type }: Activity, { record, message, result }: Answered): void {
    if (record?.method) this.record.compactions += 1;
    if (record?.covers) this.record.covers.push(record.covers);
    if (type === 'holdfast.callModel' && message) {
      this.#replyId = message.id;
      this.#commit('reply', message.id);
    }
    if (!result || this.isSettled) return;
    const text = result.content.map((block) => block.text ?? '').join('');
    const committed: CommittedResult = { callId: result.callId, replyId: this.#replyId, text };
    this.record.results.push(committed);
  }

  /** A call that is made again brings the same messages. */
  #commit(kind: 'said' | 'reply', key: string): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.record.committed.push({ kind, key });
  }
}

function endOf(last: HistoryEvent | undefined, outcome: TurnOutcome | undefined): string {
  if (outcome) return outcome.type;
  const failure = last?.workflowExecutionFailedEventAttributes?.failure;
  if (failure) return `failed: ${failure.applicationFailureInfo?.type}: ${failure.message}`;
  if (last?.workflowExecutionCanceledEventAttributes) return 'canceled';
  return last?.workflowExecutionTerminatedEventAttributes ? 'terminated' : 'open';
}
