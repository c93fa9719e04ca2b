import { Random } from './random.js';

/** `ms`: how long its body takes. */
export type PlannedCall = { tool: ToolName; ms: number };
/** One reply of the model: it comes after `delayMs` and asks for these calls, side by side. */
export type PlannedRound = { delayMs: number; calls: PlannedCall[] };

/** Milliseconds after the turn's start. */
export type PlannedEnd = { kind: 'interrupt' | 'stop' | 'cancel'; afterMs: number };
/** `againAfterMs`: sent a second time under the same id, so long after the first. */
export type PlannedSteer = {
  kind: 'steer';
  afterMs: number;
  id: string;
  text: string;
  via: 'signal' | 'update';
  againAfterMs?: number;
};

export type PlannedTurn = {
  turnId: string;
  rounds: PlannedRound[];
  /** The caller hands in a transcript in which a tool call has no result. */
  brokenTranscript: boolean;
  interventions: (PlannedEnd | PlannedSteer)[];
};

/**
 * Once turn number `turn` has started, and a while later. `kill_amid`: the first worker that is seen to run the body
 * of that tool. `hasty`: even where the process has just begun to serve, and nothing stands by to take over. `kill_supervisor`: it alone;
 * its workers are to finish what they do.
 */
export type PlannedFault = { turn: number; afterMs: number } & (
  | { kind: 'kill'; worker: number; hasty: boolean }
  | { kind: 'kill_amid'; tool: 'pay' | 'transfer'; hasty: boolean }
  | { kind: 'kill_supervisor'; worker: number }
  | { kind: 'kill_supervisor_too'; worker: number }
  | { kind: 'drain'; worker: number }
  | { kind: 'restart_server'; downMs: number }
);

export type Plan = { turns: PlannedTurn[]; faults: PlannedFault[] };

export const WORKERS = 2;
const SERVER_RESTARTS = 2;
const HASTY_SHARE = 0.15;

/** How often each is called, and how long its body takes. */
const TOOLS = {
  pay: { weight: 26, ms: [50, 400] },
  transfer: { weight: 18, ms: [50, 400] },
  look: { weight: 30, ms: [2, 40] },
  flaky: { weight: 10, ms: [5, 150] },
  crawl: { weight: 12, ms: [1000, 2000] },
  stubborn: { weight: 4, ms: [2200, 3200] },
} as const satisfies Record<string, { weight: number; ms: readonly [number, number] }>;
export type ToolName = keyof typeof TOOLS;

/** Those which may run again after a crash. */
export const IDEMPOTENT: readonly ToolName[] = ['look', 'crawl'];

/** Of the turns one in so many is long where turns continue as new: the others may well end before they would. */
const LONG_TURN_EVERY = 6;

/**
 * Everything that will be done, by chance, and the same for the same numbers. With `continueEvery`, a few turns have
 * one to three times as many rounds.
 */
export function makePlan(turnCount: number, seed: number, continueEvery?: number): Plan {
  const random = new Random(seed);
  const fates = deal(random, turnCount, { steer: 0.3, interrupt: 0.08, stop: 0.06, cancel: 0.04 });
  const openings = deal(random, turnCount, { broken: 0.12 });
  const turns = fates.map((fate, index): PlannedTurn => {
    const turnId = `turn-${String(index + 1).padStart(4, '0')}`;
    return {
      turnId,
      rounds: Array.from({ length: random.between(2, 4) }, () => planRound(random)),
      brokenTranscript: openings[index] === 'broken',
      interventions: planInterventions(random, turnId, fate),
    };
  });
  const faults = planFaults(random, turnCount);
  return { turns: continueEvery === undefined ? turns : lengthened(turns, seed, continueEvery), faults };
}

/** From numbers of its own, so that all else stays as it is without. */
function lengthened(turns: readonly PlannedTurn[], seed: number, continueEvery: number): PlannedTurn[] {
  const random = new Random(seed + 1);
  return turns.map((turn, index) => {
    if (index % LONG_TURN_EVERY !== 1) return turn;
    const more = random.between(continueEvery, 2 * continueEvery);
    return { ...turn, rounds: [...turn.rounds, ...Array.from({ length: more }, () => quickRound(random))] };
  });
}

function quickRound(random: Random): PlannedRound {
  const calls = Array.from({ length: random.between(1, 2) }, (): PlannedCall => {
    const tool = random.pick({ pay: 2, transfer: 1, look: 3 });
    return { tool, ms: random.between(2, 40) };
  });
  return { delayMs: random.between(5, 50), calls };
}

/** Gives each share of the turns its name, at least one turn each; the rest have none. */
function deal<Name extends string>(
  random: Random,
  count: number,
  shares: Record<Name, number>,
): (Name | undefined)[] {
  const entries = Object.entries<number>(shares) as [Name, number][];
  const dealt = entries.flatMap(([name, share]) => Array<Name>(Math.ceil(share * count)).fill(name));
  const rest = Array<undefined>(Math.max(0, count - dealt.length)).fill(undefined);
  return random.shuffled([...dealt.slice(0, count), ...rest]);
}

function planRound(random: Random): PlannedRound {
  const weights = Object.fromEntries(
    Object.entries(TOOLS).map(([name, { weight }]) => [name, weight]),
  ) as Record<ToolName, number>;
  const calls = Array.from({ length: random.between(1, 5) }, (): PlannedCall => {
    const tool = random.pick(weights);
    const [least, most] = TOOLS[tool].ms;
    return { tool, ms: random.between(least, most) };
  });
  return { delayMs: random.between(20, 250), calls };
}

type Fate = 'steer' | PlannedEnd['kind'] | undefined;

function planInterventions(random: Random, turnId: string, fate: Fate): PlannedTurn['interventions'] {
  if (fate === undefined) return [];
  if (fate === 'steer') {
    return Array.from({ length: random.between(1, 3) }, (_, index) => planSteer(random, turnId, index, 100));
  }
  const end: PlannedEnd = { kind: fate, afterMs: random.between(100, 2500) };
  return random.chance(0.5) ? [end] : [planSteer(random, turnId, 0, Math.max(0, end.afterMs - 300)), end];
}

/** The first of a turn comes early, so that it surely joins, and comes twice; the others may well be too late. */
function planSteer(random: Random, turnId: string, index: number, fromMs: number): PlannedSteer {
  const id = `${turnId}-steer-${index + 1}`;
  const afterMs = fromMs + random.between(0, 500) + index * random.between(0, 1500);
  return {
    kind: 'steer',
    afterMs,
    id,
    text: `Please mind ${id}.`,
    via: random.chance(0.6) ? 'signal' : 'update',
    ...((index === 0 || random.chance(0.5)) && { againAfterMs: random.between(0, 300) }),
  };
}

/** Spread over the run by chance. The first is always a crash in the middle of a payment. */
function planFaults(random: Random, turnCount: number): PlannedFault[] {
  const first: Fault = { kind: 'kill_amid', tool: 'pay', hasty: true };
  const many = (count: number, make: () => Fault) => Array.from({ length: Math.floor(count) }, make);
  const others = random.shuffled([
    ...many(turnCount / 8, () => planKill(random)),
    ...many(turnCount < 10 ? 0 : Math.max(1, turnCount / 25), () => ({
      kind: 'drain',
      worker: planWorker(random),
    })),
    ...many(turnCount / 50, () => ({ kind: 'kill_supervisor', worker: planWorker(random) })),
    ...many(turnCount / 100, () => ({ kind: 'kill_supervisor_too', worker: planWorker(random) })),
    ...many(Math.min(SERVER_RESTARTS, turnCount / 6), () => ({
      kind: 'restart_server',
      downMs: random.between(100, 1500),
    })),
  ]);
  return [first, ...others].map((fault, index, faults): PlannedFault => {
    const turn = Math.floor((index * turnCount) / faults.length);
    return { ...fault, turn, afterMs: random.between(300, 1500) };
  });
}

function planKill(random: Random): Fault {
  const tool = random.pick({ pay: 4, transfer: 3, anything: 3 });
  const hasty = random.chance(HASTY_SHARE);
  return tool === 'anything'
    ? { kind: 'kill', worker: planWorker(random), hasty }
    : { kind: 'kill_amid', tool, hasty };
}

function planWorker(random: Random): number {
  return random.between(0, WORKERS - 1);
}

type Fault = PlannedFault extends infer Each
  ? Each extends PlannedFault
    ? Omit<Each, 'turn' | 'afterMs'>
    : never
  : never;
