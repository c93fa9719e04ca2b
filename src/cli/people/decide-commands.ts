import { setTimeout } from 'node:timers/promises';
import type { SentMessage, TurnHandle } from '../../client/turn-handle.js';
import type { OpenRequest } from '../../client/waiting.js';
import type { Receipt } from '../../shared/interventions.js';
import { isJsonObject, type JsonObject, parseJson } from '../../shared/json.js';
import { EXIT_FAILED } from '../exit-codes.js';
import { type Place, withPlace } from '../open-client.js';
import { terminalOf } from '../terminal.js';
import { findTurn } from '../turns/find-turn.js';
import { pollersOf, startWorker } from '../turns/pollers.js';
import { UsageError } from '../usage-error.js';
import { requestText } from './approvals-command.js';

/** So long a worker may take to say what became of a decision; it is kept, whether or not one does. */
const RECEIPT_MS = 5000;

type ApproveOptions = { reason?: string; always?: boolean; arguments?: string };

export async function approveCommand(
  turnId: string,
  call: string | undefined,
  options: ApproveOptions,
): Promise<number> {
  const { reason, always, arguments: written } = options;
  if (always && written !== undefined)
    throw new UsageError('Give --always or --arguments: always does not speak of changed arguments.');
  const changed = written === undefined ? undefined : argumentsIn(written);
  return await decided(turnId, call, 'approval_requested', (turn, callId) =>
    turn.approve(callId, {
      ...(reason !== undefined && { reason }),
      ...(always && { always }),
      ...(changed && { arguments: changed }),
    }),
  );
}

export async function denyCommand(
  turnId: string,
  call: string | undefined,
  options: { reason?: string },
): Promise<number> {
  return await decided(turnId, call, undefined, (turn, callId) => turn.deny(callId, options));
}

export async function answerCommand(
  turnId: string,
  text: string,
  options: { call?: string },
): Promise<number> {
  return await decided(turnId, options.call, 'question_asked', (turn, callId) => turn.answer(callId, text));
}

/** Throws a UsageError. */
export function argumentsIn(text: string): JsonObject {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new UsageError(`The arguments are not JSON: ${parsed.problem}`);
  if (!isJsonObject(parsed.value)) throw new UsageError('The arguments must be a JSON object.');
  return parsed.value;
}

async function decided(
  name: string,
  call: string | undefined,
  type: OpenRequest['type'] | undefined,
  send: (turn: TurnHandle, callId: string) => Promise<SentMessage>,
): Promise<number> {
  const { write } = terminalOf(process.stderr);
  return await withPlace(async (place) => {
    const { workflowId, taskQueue } = await findTurn(place, name);
    const { turnId, callId } = await theCall(place.client.turn(workflowId), call, type);
    const turn = place.client.turn(turnId);
    const sent = await send(turn, callId);
    const receipt = sent.status === 'too_late' ? undefined : await receiptOf(place, turn, sent.id);
    const told = sent.status === 'too_late' ? TELL.too_late : wordsOf(receipt);
    write(`${told.text(callId)}\n`);
    if (told !== TELL.kept || (await pollersOf(place.client.client, taskQueue)).length > 0)
      return told.exitCode;
    write(`No worker polls its task queue "${taskQueue}". ${startWorker(taskQueue, workflowId)}\n`);
    return told.exitCode;
  });
}

/**
 * The call of the turn, or of a sub-agent of it. Throws a UsageError that lists what waits, where the call is none of it
 * or is not named.
 */
async function theCall(
  turn: TurnHandle,
  call: string | undefined,
  type: OpenRequest['type'] | undefined,
): Promise<OpenRequest> {
  const open = (await turn.requests()).filter((request) => type === undefined || request.type === type);
  const list = open.map((request) => requestText(request, turn.turnId)).join('');
  if (open.length === 0) throw new UsageError(`The turn ${turn.turnId} waits for nothing of the kind.`);
  const named = open.filter(({ callId }) => call === undefined || callId === call);
  const found = named.length === 1 ? named[0] : named.find(({ turnId }) => call && turnId === turn.turnId);
  if (found) return found;
  const problem =
    call === undefined
      ? `Several calls of the turn wait: name one.`
      : named.length > 0
        ? `Several sub-agents wait with a call ${call}: name the turn of one.`
        : `No call ${call} of the turn waits.`;
  throw new UsageError(`${problem}\n${list}`);
}

/** Undefined where no worker has told by then. Nothing that it has begun keeps the program from its end. */
async function receiptOf(place: Place, turn: TurnHandle, id: string): Promise<Receipt | undefined> {
  const until = Date.now() + RECEIPT_MS;
  return await place.client.client.withDeadline(until, async () => {
    while (Date.now() < until) {
      const receipt = await turn.receipt(id).catch(() => undefined);
      if (receipt) return receipt;
      await setTimeout(100);
    }
    return undefined;
  });
}

type Told = { text: (callId: string) => string; exitCode: number };

const TELL = {
  done: { text: (callId) => `It counts: ${callId}.`, exitCode: 0 },
  kept: { text: () => 'It is kept, and counts once a worker of the turn runs.', exitCode: 0 },
  too_late: { text: () => 'It came too late: the turn has ended.', exitCode: EXIT_FAILED },
  already_decided: {
    text: (callId) => `Somebody was faster: ${callId} had been decided.`,
    exitCode: EXIT_FAILED,
  },
} satisfies Record<string, Told>;

function wordsOf(receipt: Receipt | undefined): Told {
  if (!receipt) return TELL.kept;
  const { status, problem } = receipt;
  if (status === 'done' || status === 'already_decided' || status === 'too_late') return TELL[status];
  return {
    text: () => `It was not taken (${status})${problem === undefined ? '' : `: ${problem}`}.`,
    exitCode: EXIT_FAILED,
  };
}
