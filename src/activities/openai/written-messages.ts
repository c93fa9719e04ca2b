import type { Message } from '../../shared/messages.js';
import { joinedItems, writtenItems } from './written-list.js';

/** What a message is on the wire. `variant` tells ways of writing the same message apart. */
export type WireMessage<Wire extends object> = { message: Message; variant: string; write(): Wire[] };

/** A message as it was written. `bytes` may be a part of a block's. */
type Written = { readonly variant: string; bytes: Buffer };

/** Messages in a row, with the commas between them. */
type Block = { readonly members: readonly Written[]; readonly bytes: Buffer };

/** So that a long transcript is a few dozen pieces, and what is joined anew for a call is little. */
const BLOCK_BYTES = 128 * 1024;
/** What is longer is a piece of its own, never copied. */
const LARGE_BYTES = 64 * 1024;

/**
 * Writes messages, each of them once, as parts of a list. They are never changed; of the ways to write one the latest
 * is kept. Those that follow each other are kept as blocks, which call after call are sent as they are.
 */
export function rememberedWriter<Wire extends object>(): (
  messages: readonly WireMessage<Wire>[],
) => Buffer[] {
  const known = new WeakMap<Message, Written>();
  const blocks = new WeakMap<Written, Block>();
  return (messages) => {
    const written = messages.map(({ message, variant, write }) => {
      const last = known.get(message);
      // Of bytes that somebody has transferred away, as a fetch in place of Node's may, nothing is left.
      if (last?.variant === variant && last.bytes.length > 0) return last;
      const fresh = { variant, bytes: writtenItems(write()) };
      known.set(message, fresh);
      return fresh;
    });
    const sent = written.filter(({ bytes }) => bytes.length > 0);
    return inBlocks(sent, blocks);
  };
}

/** What a list is made of. `known`: blocks by their first members; new ones are added. */
function inBlocks(written: readonly Written[], known: WeakMap<Written, Block>): Buffer[] {
  const parts: Buffer[] = [];
  let loose: Written[] = [];
  let looseBytes = 0;
  let end = 0;

  function push(...pieces: Buffer[]): void {
    parts.push(...pieces);
    loose = [];
    looseBytes = 0;
  }

  for (const [at, next] of written.entries()) {
    if (at < end) continue;
    const block = next.bytes.length >= LARGE_BYTES ? alone(next) : known.get(next);
    if (block?.members.every((member, index) => member === written[at + index])) {
      push(...loose.map(({ bytes }) => bytes), block.bytes);
      end = at + block.members.length;
      continue;
    }
    loose.push(next);
    looseBytes += next.bytes.length;
    if (looseBytes >= BLOCK_BYTES) push(newBlock(loose, known).bytes);
  }
  push(...loose.map(({ bytes }) => bytes));
  return parts;
}

function alone(member: Written): Block {
  return { members: [member], bytes: member.bytes };
}

/** Its members give up bytes of their own, so that they are held once. */
function newBlock(members: readonly Written[], known: WeakMap<Written, Block>): Block {
  const block = { members, bytes: joinedItems(members.map(({ bytes }) => bytes)) };
  let start = 0;
  for (const member of members) {
    const { length } = member.bytes;
    member.bytes = block.bytes.subarray(start, start + length);
    start += length + 1;
  }
  const [first] = members;
  if (first) known.set(first, block);
  return block;
}
