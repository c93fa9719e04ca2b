import { describe, expect, it } from 'vitest';
import { classifyError } from '../../src/activities/openai/classify-error.js';
import { refuseEmpty } from '../../src/activities/openai/empty-reply.js';
import { readReply, type WireReply } from '../../src/activities/openai/read-reply.js';
import { streamEvents } from '../../src/activities/openai/server-sent-events.js';
import { chatReply } from '../../src/activities/openai-chat/chat-reply.js';
import { responsesReply } from '../../src/activities/openai-responses/responses-reply.js';
import { parseJson } from '../../src/shared/json.js';
import { ModelError } from '../../src/shared/model-port.js';
import { corrupted, cutOrInterrupted, type Recorded, randomFrom, recorded } from './corrupt-streams.js';

const CASES = 6_000;

async function* inPieces(bytes: Uint8Array, random: (below: number) => number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(200);
    yield bytes.slice(at, at + size);
    at += size;
  }
}

/** Reads as the adapter does, without a socket. Anything but a ModelError in the end is a bug of ours. */
async function read(
  stream: Recorded,
  bytes: Uint8Array,
  random: (below: number) => number,
): Promise<WireReply | ModelError> {
  const make = stream.api === 'chat' ? chatReply : responsesReply;
  const ignore = () => undefined;
  try {
    return refuseEmpty(
      await readReply(streamEvents(inPieces(bytes, random), ignore), make('here', ignore), ignore),
      { attempt: 1 },
    );
  } catch (error) {
    const classified = classifyError(error);
    // What nobody foresaw, a TypeError of ours for one, is classified as a failure that is not tried again.
    if (classified.type === 'Model.Failed' && !classified.retryable) throw error;
    return classified;
  }
}

/** The arguments of the calls that the plan would run. None at all are `{}` there, as some send at first; `forged` says that this can't be told. */
function runs(reply: WireReply, forged = false): string[] {
  if (reply.stopReason !== 'tool_use') return [];
  return reply.content.flatMap((part) => {
    if (part.type !== 'tool_call' || !['pay', 'look'].includes(part.name)) return [];
    if (['', '{}'].includes(part.arguments.trim())) return forged ? [] : [part.arguments];
    const parsed = parseJson(part.arguments);
    return parsed.ok && typeof parsed.value === 'object' ? [part.arguments] : [];
  });
}

describe.each(recorded.map((stream, at) => ({ at, api: stream.api, stream })))(
  'recorded stream $at, of $api,',
  ({ at, stream }) => {
    it('is read whole as it is', async () => {
      const bytes = new TextEncoder().encode(stream.frames.join(''));
      const reply = await read(stream, bytes, randomFrom(at));
      expect(reply instanceof ModelError ? reply : runs(reply)).toEqual(stream.whole);
    });

    it('never gives a call whose arguments were not sent whole, however it is cut or interrupted', async () => {
      const random = randomFrom(1000 + at);
      let replies = 0;
      for (let number = 0; number < CASES / recorded.length; number++) {
        const { bytes, forged } = cutOrInterrupted(stream, random);
        const reply = await read(stream, bytes, random);
        if (reply instanceof ModelError) continue;
        replies++;
        for (const written of runs(reply, forged)) {
          if (!stream.whole.includes(written))
            throw new Error(`case ${number} runs ${written} of ${new TextDecoder().decode(bytes)}`);
        }
      }
      expect(replies).toBeGreaterThan(0);
    });

    it('never crashes the reader, however its bytes are corrupted', async () => {
      const random = randomFrom(2000 + at);
      for (let number = 0; number < CASES / recorded.length; number++) {
        await read(stream, corrupted(stream, random), random);
      }
    });
  },
);
