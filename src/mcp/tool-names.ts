import { createHash } from 'node:crypto';

/** What every provider takes. */
const MOST_CHARACTERS = 64;
const HASH_DIGITS = 6;

type Place = { server: string; tool: string };

/**
 * A name for each tool that providers take and no other tool has: `<server>__<tool>`. Where that is too long, or two would
 * be the same, or one of the agent's own tools has it, it ends with a hash of what it stands for, so that it does not
 * depend on the order in which servers list their tools.
 */
export function toolNames(places: readonly Place[], taken: ReadonlySet<string>): string[] {
  const plain = places.map(({ server, tool }) => `${server}__${tool.replace(/[^a-zA-Z0-9_-]/g, '_')}`);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return places.map((place, index) => {
    const name = plain[index] ?? '';
    const isOwn = name === `${place.server}__${place.tool}`;
    const isFree = !taken.has(name) && (counts.get(name) === 1 || isOwn);
    return isFree && name.length <= MOST_CHARACTERS ? name : hashed(name, place);
  });
}

function hashed(name: string, { server, tool }: Place): string {
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, HASH_DIGITS);
  return `${name.slice(0, MOST_CHARACTERS - HASH_DIGITS - 1)}_${hash}`;
}
