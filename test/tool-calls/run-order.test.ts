import { describe, expect, test } from 'vitest';
import { type Place, RunOrder } from '../../src/workflows/run-order.js';

type Calls = {
  /** The call is ready to run: nobody has to decide on it any more. */
  ready(name: string, place?: Place): Promise<void>;
  ends(name: string): Promise<void>;
  leaves(name: string): Promise<void>;
  running(): string;
};

/** Calls by name: `a1` has the key `a`, `P` runs beside others, `A` runs alone, a `!` after a key says both. */
function callsNamed(names: string, most = 8): Calls {
  const order = new RunOrder(most);
  const list = names.split(' ');
  const numbers = new Map(list.map((name) => [name, order.add(placeOf(name))]));
  const ends = new Map<string, () => void>();
  const numberOf = (name: string) => numbers.get(name) ?? Number.NaN;
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    async ready(name, place) {
      const body = () => new Promise<void>((resolve) => ends.set(name, resolve));
      void order.run(numberOf(name), body, place);
      await settled();
    },
    async ends(name) {
      ends.get(name)?.();
      ends.delete(name);
      await settled();
    },
    async leaves(name) {
      order.leave(numberOf(name));
      await settled();
    },
    running: () => list.filter((name) => ends.has(name)).join(' '),
  };
}

function placeOf(name: string): Place {
  const isAlone = name.startsWith('A') || name.endsWith('!');
  return /^[a-z]/.test(name) ? { isAlone, key: name.charAt(0) } : { isAlone };
}

async function allReady(names: string, most?: number): Promise<Calls> {
  const calls = callsNamed(names, most);
  for (const name of names.split(' ')) await calls.ready(name);
  return calls;
}

describe('calls with keys', () => {
  test('run one after another where they have the same, and side by side where they do not', async () => {
    const calls = await allReady('a1 b1 a2 P a3');
    expect(calls.running()).toBe('a1 b1 P');
    await calls.ends('b1');
    expect(calls.running()).toBe('a1 P');
    await calls.ends('a1');
    expect(calls.running()).toBe('a2 P');
    await calls.ends('a2');
    expect(calls.running()).toBe('P a3');
  });

  test('that run alone otherwise run beside those with other keys, and with no others', async () => {
    const calls = await allReady('a! b! P c! A d!');
    expect(calls.running()).toBe('a! b!');
    await calls.ends('a!');
    await calls.ends('b!');
    expect(calls.running()).toBe('P');
    await calls.ends('P');
    expect(calls.running()).toBe('c!');
    await calls.ends('c!');
    expect(calls.running()).toBe('A');
    await calls.ends('A');
    expect(calls.running()).toBe('d!');
  });

  test('are no more at once than may be', async () => {
    const calls = await allReady('a b c d', 2);
    expect(calls.running()).toBe('a b');
    await calls.ends('b');
    expect(calls.running()).toBe('a c');
  });

  test('keep their order when the first one waits for a person, and others do not wait', async () => {
    const calls = callsNamed('a1 a2 b P');
    for (const name of ['a2', 'b', 'P']) await calls.ready(name);
    expect(calls.running()).toBe('b P');
    await calls.ready('a1');
    expect(calls.running()).toBe('a1 b P');
    await calls.ends('a1');
    expect(calls.running()).toBe('a2 b P');
  });

  test('go on when the first one was denied', async () => {
    const calls = callsNamed('a1 a2');
    await calls.ready('a2');
    await calls.leaves('a1');
    expect(calls.running()).toBe('a2');
  });

  test('run beside no other once a person has changed what they are about', async () => {
    const calls = callsNamed('a b c');
    await calls.ready('b');
    await calls.ready('a', { isAlone: true, key: undefined });
    await calls.ready('c');
    expect(calls.running()).toBe('b');
    await calls.ends('b');
    expect(calls.running()).toBe('a');
    await calls.ends('a');
    expect(calls.running()).toBe('c');
  });
});

describe('calls without keys, of which a person decides on some', () => {
  test('run when they are decided, and one that runs alone waits for all before it', async () => {
    const calls = callsNamed('P1 A P2');
    await calls.ready('A');
    await calls.ready('P2');
    expect(calls.running()).toBe('P2');
    await calls.ready('P1');
    expect(calls.running()).toBe('P1 P2');
    await calls.ends('P1');
    expect(calls.running()).toBe('P2');
    await calls.ends('P2');
    expect(calls.running()).toBe('A');
  });

  test('wait for one that runs alone and waits for nobody', async () => {
    const calls = await allReady('P1 A P2');
    expect(calls.running()).toBe('P1');
    await calls.ends('P1');
    expect(calls.running()).toBe('A');
    await calls.ends('A');
    expect(calls.running()).toBe('P2');
  });
});
