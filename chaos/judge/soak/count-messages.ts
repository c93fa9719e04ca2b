import type { Message } from 'holdfast/client';
import type { Said } from '../../records.js';
import { marksIn } from '../../soak/messages.js';
import { refusalOf } from '../count-refused.js';
import { type Expanded, expand, expandSummary, type Told } from './expand.js';
import type { ReadArchive, SessionRecord } from './record.js';

export type MessageProblems = {
  lost: string[];
  doubled: string[];
  disordered: string[];
  refused: string[];
};
export type CountedMessages = MessageProblems & { told: number; committed: number; summaries: number };

/**
 * Compares all that a session's transcript tells, its summaries' archives included, with what the histories of its turns have
 * committed, and with what people were told that it was taken.
 */
export function countMessages(
  session: SessionRecord,
  said: readonly Said[],
  readArchive: ReadArchive,
): CountedMessages {
  const { sessionId, transcript, turns } = session;
  const { told, summaries, problems } = expand(transcript, readArchive);
  const given = session.given && expand(session.given, readArchive);
  const committed = turns.flatMap((turn) => turn.committed.map(({ key }) => key));
  const keys = told.flatMap(({ message }) => keysOf(message));
  const order = new Map(committed.map((key, place) => [key, place]));
  const isTold = new Set(keys);
  const taken = said.filter(({ answer }) => answer !== 'no_answer').map((each) => `${sessionId}/${each.id}`);
  const lost = [...new Set([...committed, ...taken])].filter((key) => !isTold.has(key));
  const madeUp = keys.filter((key) => !order.has(key)).map((key) => `${key} is told and was never committed`);
  const refusal = refusalOf({ turnId: sessionId, messages: transcript });
  return {
    lost: [
      ...problems,
      ...archiveProblems(session, told, readArchive),
      ...(given ? givenProblems(session, given) : []),
      ...lost.map((key) => `${key} is nowhere in the transcript`),
      ...resultsLost(session, told),
    ],
    doubled: [...doubled(committed, 'committed'), ...doubled(keys, 'told'), ...doubledIds(told), ...madeUp],
    disordered: [
      ...outOfOrder(order, told),
      ...sentOutOfOrder(said, 'queue', (id) => order.get(`${sessionId}/${id}`)),
      ...sentOutOfOrder(said, 'steer', (id) => order.get(`${sessionId}/${id}`)),
    ].map((line) => `${sessionId}: ${line}`),
    refused: refusal === undefined ? [] : [refusal],
    ...{ told: told.length, committed: committed.length, summaries: given?.summaries ?? summaries },
  };
}

/** What the summaries of its turns stand for is there, and is what the session has. */
function archiveProblems(
  { turns }: SessionRecord,
  told: readonly Told[],
  readArchive: ReadArchive,
): string[] {
  const ids = new Set(told.map(({ message }) => message.id));
  return turns.flatMap(({ turnId, covers }) =>
    covers.flatMap((each, index) => {
      const archived = expandSummary(`${index + 1} of ${turnId}`, each, readArchive);
      // What the system says is each turn's own.
      const unknown = archived.told.filter(
        ({ message }) => message.role !== 'system' && !ids.has(message.id),
      );
      return [
        ...archived.problems,
        ...unknown.map(
          ({ message }) => `${turnId}: ${message.id} is in a summary's range, and not in the session`,
        ),
      ];
    }),
  );
}

/** What the next turn would be given stands for the whole transcript, and for nothing else. */
function givenProblems(
  { sessionId, transcript, given = [] }: SessionRecord,
  { told, problems }: Expanded,
): string[] {
  // What the system says is each turn's own.
  const ids = told.flatMap(({ message }) => (message.role === 'system' ? [] : [message.id]));
  const [inGiven, inWhole] = [new Set(ids), new Set(transcript.map(({ id }) => id))];
  const refusal = refusalOf({ turnId: sessionId, messages: given });
  return [
    ...problems,
    ...(refusal === undefined ? [] : [`what the next turn is given would be refused: ${refusal}`]),
    ...[...inWhole]
      .filter((id) => !inGiven.has(id))
      .map((id) => `${id} is not in what the next turn is given`),
    ...[...inGiven]
      .filter((id) => !inWhole.has(id))
      .map((id) => `the next turn is given ${id}, which is no message`),
    ...doubled(ids, 'in what the next turn is given'),
  ].map((line) => `${sessionId}: ${line}`);
}

/** What a message is known by: what was said in it, or that it is this reply. */
function keysOf(message: Message): string[] {
  if (message.role === 'user') return marksIn(message);
  const isPartial =
    message.role === 'assistant' && message.content.some((block) => block.type === 'text' && block.partial);
  return message.role === 'assistant' && !isPartial ? [message.id] : [];
}

function doubled(keys: readonly string[], how: string): string[] {
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    if (seen.has(key)) return [`${key} is ${how} more than once`];
    seen.add(key);
    return [];
  });
}

function doubledIds(told: readonly Told[]): string[] {
  return doubled(
    told.map(({ message }) => message.id),
    'the id of a message',
  );
}

/** The transcript has what was committed in the order in which it was. */
function outOfOrder(order: ReadonlyMap<string, number>, told: readonly Told[]): string[] {
  let before = -1;
  let last = '';
  const problems: string[] = [];
  for (const { message, moved } of told) {
    for (const key of moved ? [] : keysOf(message)) {
      const place = order.get(key) ?? before;
      if (place < before) problems.push(`${key} comes after ${last}, and was committed before it`);
      [before, last] = [Math.max(before, place), key];
    }
  }
  return problems;
}

/** Of the messages of one kind: what was sent after another one was answered was committed after it. */
function sentOutOfOrder(
  said: readonly Said[],
  whileBusy: 'queue' | 'steer',
  placeOf: (id: string) => number | undefined,
): string[] {
  const known = said.filter((each) => {
    if (each.whileBusy !== whileBusy) return false;
    // What came when no turn ran has waited as one that queues.
    return whileBusy === 'steer' ? each.answer === 'steered' : each.answer !== 'no_answer';
  });
  return known.slice(1).flatMap(({ id }, index) => {
    const before = known[index]?.id ?? '';
    const [place, other] = [placeOf(id), placeOf(before)];
    return place !== undefined && other !== undefined && place < other
      ? [`${id} (${whileBusy}) comes before ${before}, after whose answer it was sent`]
      : [];
  });
}

/** Each call has its result right after its reply, and it is what the history has. */
function resultsLost({ turns }: SessionRecord, told: readonly Told[]): string[] {
  const after = new Map(told.map(({ message }, place) => [message.id, told[place + 1]?.message]));
  const missing = told.flatMap(({ message }) => {
    if (message.role !== 'assistant') return [];
    const calls = message.content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []));
    const next = after.get(message.id);
    const answered = next?.role === 'tool' ? next.content.map(({ callId }) => callId) : [];
    return calls.join() === answered.join() ? [] : [`${message.id}: calls ${calls}, results of ${answered}`];
  });
  const otherwise = turns.flatMap(({ turnId, results }) =>
    results.flatMap(({ replyId, callId, text }) => {
      const next = after.get(replyId);
      const result = next?.role === 'tool' ? next.content.find((each) => each.callId === callId) : undefined;
      const said = result?.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const isCleared = result?.artifact !== undefined && said?.startsWith('[This result was cleared');
      return said === text || isCleared ? [] : [`${turnId} ${callId}: its result is told as: ${said}`];
    }),
  );
  return [...missing, ...otherwise];
}
