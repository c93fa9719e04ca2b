const MOST = 5;
const LEAST_LIKENESS = 0.5;

/** Up to five of `names` that a person may have meant by `wanted`, the likest first. A folder's name ends with "/". */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, likeness: nameLikeness(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MOST)
    .map(({ name }) => name);
}

function nameLikeness(wanted: string, name: string): number {
  if (wanted === name) return 1;
  const stem = stemOf(wanted);
  if (stem !== '' && stem === stemOf(name)) return 0.9;
  return likeness(wanted, name);
}

function stemOf(name: string): string {
  return name.replace(/\/$/, '').replace(/(?<=.)\..*$/, '');
}

/** From 0 to 1: how many pairs of neighbouring characters two texts have in common (the Sørensen-Dice coefficient). */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const left = new Map<string, number>();
  for (const pair of pairsOf(a)) left.set(pair, (left.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of pairsOf(b)) {
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared++;
  }
  const total = Math.max(0, a.length - 1) + Math.max(0, b.length - 1);
  return total === 0 ? 0 : (2 * shared) / total;
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2));
}
