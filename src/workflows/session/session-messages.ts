import { defineSignal, defineUpdate, patched, setHandler } from '@temporalio/workflow';
import { COMPACT, INTERRUPT, readStop, STEER, STOP } from '../../shared/interventions.js';
import { isJsonObject, jsonBytes } from '../../shared/json.js';
import { ANSWER, APPROVE, DENY } from '../../shared/people.js';
import { changedLimits, limitText } from '../../shared/session-limits.js';
import { enqueued, enqueuedBehindNext } from '../../shared/session-queue.js';
import {
  CLOSE,
  type CutReceipt,
  type CutRequest,
  DESCRIBE,
  type DescribeRequest,
  describeProblems,
  firstProblem,
  type PassedOn,
  PREFIX,
  ROLLBACK,
  readSend,
  SEND,
  SET_LIMITS,
  type SendReceipt,
  type SendRequest,
  type SessionCompactReceipt,
  type SessionCompactRequest,
  type SetLimitsRequest,
  sendProblems,
  setLimitsProblems,
  steerOf,
  type TurnRequest,
  WITHDRAW,
  type WithdrawReceipt,
  type WithdrawRequest,
} from '../../shared/session-requests.js';
import { readTurnEnded, TURN_ENDED } from '../../shared/sub-agents.js';
import { fnv1a, wireId, wireText } from '../../shared/wire-text.js';
import { compact } from './compact.js';
import { cut } from './cut.js';
import type { SessionRun } from './session-run.js';
import { withdraw } from './withdraw.js';

/** Of all that waits and of what was passed on to the running turn: the next run of the session is given it. */
const WAITING_BYTES = 900_000;

const REPLACES_NEXT = 'replaces-what-is-about-to-begin';
const ID_TAKEN =
  'Another message was sent with this id. Give each an id of its own, and the same one only to the same message.';

/** Takes what people and programs send. Each message counts once, and no handler waits for a turn or a person. */
export function listen(run: SessionRun): void {
  on<[SendRequest], SendReceipt>(SEND, (raw) => send(run, raw));
  on<[unknown], SendReceipt>(STEER, (raw) => steer(run, raw));
  for (const kind of [INTERRUPT, STOP, APPROVE, DENY, ANSWER]) {
    on<[unknown], PassedOn>(kind, (raw) => passOn(run, kind, raw));
  }
  on<[DescribeRequest], { v: 1; problem?: string }>(DESCRIBE, (raw) => describe(run, raw));
  on<[unknown], { v: 1 }>(CLOSE, () => {
    run.closing = true;
    return { v: 1 };
  });
  on<[SetLimitsRequest], { v: 1; problem?: string }>(SET_LIMITS, (raw) => setLimits(run, raw));
  // Without `void`: the next run of the session waits for it.
  setHandler(defineSignal<[SessionCompactRequest?]>(COMPACT), async (raw) => {
    await compact(run, raw);
  });
  setHandler(defineUpdate<SessionCompactReceipt, [SessionCompactRequest?]>(COMPACT), (raw) =>
    compact(run, raw),
  );
  setHandler(defineUpdate<WithdrawReceipt, [WithdrawRequest]>(WITHDRAW), (raw) => withdraw(run, raw));
  setHandler(defineUpdate<CutReceipt, [CutRequest]>(ROLLBACK), (raw) => cut(run, raw, ROLLBACK));
  setHandler(defineUpdate<CutReceipt, [CutRequest]>(PREFIX), (raw) => cut(run, raw, PREFIX));
  setHandler(defineSignal<[unknown]>(TURN_ENDED), (raw) => {
    if (readTurnEnded(raw)?.turnId === run.live?.turnId) run.live?.hear();
  });
}

/** A signal, and an update of the same name. */
function on<Args extends unknown[], Answer>(name: string, take: (...args: Args) => Answer): void {
  setHandler(defineSignal<Args>(name), (...args: Args) => void take(...args));
  setHandler(defineUpdate<Answer, Args>(name), take);
}

function send(run: SessionRun, raw: SendRequest): SendReceipt {
  run.steps += 1;
  const askedId = isJsonObject(raw) && typeof raw['id'] === 'string' ? raw['id'] : undefined;
  const known = askedId === undefined ? undefined : run.receipts.known(askedId);
  const print = printOf(raw);
  if (known && known.status !== 'refused') {
    if (known.print === undefined || known.print === print) return { ...known, duplicate: true };
    return { v: 1, id: known.id, status: 'refused', problem: ID_TAKEN };
  }
  const problem = firstProblem('message to a session', raw, sendProblems);
  if (problem !== undefined) return refuse(run, askedId, problem);
  if (run.closing || run.canceled)
    return refuse(run, askedId, 'The session is closed. Send it to another one.', { closed: true });
  const { id = run.receipts.nextId(), whileBusy, by, request } = readSend(raw);
  const { live } = run;
  live?.ask();
  const steering = whileBusy === 'steer' && live?.agent === request.agent && steerOf(id, request, by);
  if (run.waitingBytes + jsonBytes(raw) > WAITING_BYTES) {
    return refuse(run, id, 'Too much waits in this session already. Send it again when a turn has ended.');
  }
  const exceeded = live && steering ? undefined : run.exceeded;
  if (exceeded) return refuse(run, id, limitText(exceeded), { exceeded });
  if (live && steering) {
    live.steer(steering);
    return run.receipts.give({ id, status: 'steered', turnId: live.turnId, position: 0, print });
  }
  const isNext = !live && run.queue.length > 0 && whileBusy === 'replace' && patched(REPLACES_NEXT);
  const replaces = whileBusy === 'replace' && (live !== undefined || isNext);
  const item = { id, request, ...(by !== undefined && { by }), ...(replaces && { replaces: true as const }) };
  run.queue = (isNext ? enqueuedBehindNext : enqueued)(run.queue, item);
  if (replaces)
    live?.interrupt({ id, reason: 'Another message replaces it.', ...(by !== undefined && { by }) });
  const position = run.queue.indexOf(item) + (live ? 1 : 0);
  const turnId = run.turnIdOf(id);
  run.show();
  return run.receipts.give({
    id,
    status: position === 0 && !run.isCutting ? 'started' : 'queued',
    turnId,
    position,
    print,
  });
}

/** The same for what a message says, and hardly for anything else. */
function printOf(raw: SendRequest): string {
  const { prompt, attachments } = isJsonObject(raw) ? raw : {};
  return fnv1a(JSON.stringify([prompt, attachments]));
}

function refuse(
  run: SessionRun,
  id: string | undefined,
  problem: string,
  why: Pick<SendReceipt, 'exceeded' | 'closed'> = {},
): SendReceipt {
  const told = { id: id === undefined ? run.receipts.nextId() : wireId(id), status: 'refused' as const };
  return run.receipts.give({ ...told, problem: wireText(problem, 1000), ...why });
}

/** For the running turn; where none runs it is asked as the next one is, or the last one was. */
function steer(run: SessionRun, raw: unknown): SendReceipt {
  const given = isJsonObject(raw) ? raw : {};
  const { v, id, message, by } = given;
  const known: Partial<TurnRequest> | undefined =
    run.live?.request ?? run.queue[0]?.request ?? run.lastRequest;
  const { attachments: _attachments, ...asked } = known ?? {};
  if (!known)
    return refuse(
      run,
      typeof id === 'string' ? id : undefined,
      `No turn has run yet: ${SEND} it to an agent.`,
    );
  const request = { v, ...asked, prompt: message, whileBusy: 'steer', ...(id !== undefined && { id }) };
  return send(run, { ...request, ...(by !== undefined && { by }) } as SendRequest);
}

function passOn(run: SessionRun, kind: string, raw: unknown): PassedOn {
  const { live, stopCompacting } = run;
  if (!live && stopCompacting && (kind === INTERRUPT || kind === STOP)) {
    stopCompacting();
    return { v: 1, status: 'done' };
  }
  if (!live) return endNext(run, kind, raw);
  run.steps += 1;
  live.ask();
  live.passOn(kind, raw ?? { v: 1 });
  return { v: 1, status: 'done', turnId: live.turnId };
}

/** A message that was taken before, but whose turn has not begun, is as good as running for whoever ends it. */
function endNext(run: SessionRun, kind: string, raw: unknown): PassedOn {
  const [next, ...rest] = run.queue;
  if (!next || (kind !== INTERRUPT && kind !== STOP)) return { v: 1, status: 'not_running' };
  run.steps += 1;
  if (next.ended?.kind !== INTERRUPT) {
    run.queue = [{ ...next, ended: { kind, ...readStop(raw, `${next.id}-${kind}`) } }, ...rest];
  }
  return { v: 1, status: 'done', turnId: run.turnIdOf(next.id) };
}

function setLimits(run: SessionRun, raw: SetLimitsRequest): { v: 1; problem?: string } {
  const problem = firstProblem('change of limits', raw, setLimitsProblems);
  if (problem !== undefined) return { v: 1, problem: wireText(problem, 1000) };
  run.steps += 1;
  run.limits = changedLimits(run.limits, raw.limits);
  return { v: 1 };
}

function describe(run: SessionRun, raw: DescribeRequest): { v: 1; problem?: string } {
  const problem = firstProblem('description of a session', raw, describeProblems);
  if (problem !== undefined) return { v: 1, problem: wireText(problem, 1000) };
  run.steps += 1;
  run.describe(raw);
  return { v: 1 };
}
