import type { WhileBusy } from 'holdfast/client';
import type { PlannedRound } from '../plan.js';
import { Random } from '../random.js';

/**
 * Milliseconds after the step before. `copies`: how often it is sent again under the same id, at once or (`late`) after the answer.
 * A message that steers has no rounds of its own.
 */
export type PlannedSend = {
  kind: 'send';
  afterMs: number;
  id: string;
  whileBusy: WhileBusy;
  via: 'update' | 'signal';
  copies: number;
  late: boolean;
  rounds: PlannedRound[];
};
export type PlannedStep = PlannedSend | { kind: 'interrupt' | 'compact'; afterMs: number };
export type PlannedSession = { sessionId: string; steps: PlannedStep[] };

const REPLACE_SHARE = 0.2;
const STEER_SHARE = 0.4;
const INTERRUPT_SHARE = 0.15;
const COMPACT_SHARE = 0.05;
const COPIED_SHARE = 0.2;
const SIGNAL_SHARE = 0.2;

/** So many sessions, each with so many messages that open turns of their own, and others between; the same for the same numbers. */
export function makeSoakPlan(sessions: number, turns: number, seed: number): PlannedSession[] {
  const random = new Random(seed);
  return Array.from({ length: sessions }, (_, index) => {
    return { sessionId: sessionIdOf(index), steps: planSteps(random, turns) };
  });
}

/** Of a session by its number, from 0. */
export function sessionIdOf(index: number): string {
  return `soak-${String(index + 1).padStart(3, '0')}`;
}

function planSteps(random: Random, turns: number): PlannedStep[] {
  const steps: PlannedStep[] = [];
  const send = (whileBusy: WhileBusy, afterMs: number) => {
    const id = `m${String(steps.length + 1).padStart(5, '0')}`;
    steps.push(planSend(random, id, whileBusy, afterMs, steps.length === 0));
  };
  for (let turn = 0; turn < turns; turn++) {
    const replaces = turn > 0 && random.chance(REPLACE_SHARE);
    send(replaces ? 'replace' : 'queue', random.between(0, 150));
    if (random.chance(STEER_SHARE)) send('steer', random.between(0, 200));
    if (random.chance(INTERRUPT_SHARE)) steps.push({ kind: 'interrupt', afterMs: random.between(0, 300) });
    if (random.chance(COMPACT_SHARE)) steps.push({ kind: 'compact', afterMs: random.between(0, 600) });
  }
  return steps;
}

/** The one that starts the session is no signal, which only a session that is there can take. */
function planSend(
  random: Random,
  id: string,
  whileBusy: WhileBusy,
  afterMs: number,
  isFirst: boolean,
): PlannedSend {
  const isCopied = random.chance(COPIED_SHARE);
  const isSignal = random.chance(SIGNAL_SHARE) && !isFirst;
  return {
    ...{ kind: 'send', afterMs, id, whileBusy },
    via: isSignal ? 'signal' : 'update',
    copies: isCopied ? random.between(1, 2) : 0,
    late: random.chance(0.5),
    rounds: whileBusy === 'steer' ? [] : planRounds(random),
  };
}

function planRounds(random: Random): PlannedRound[] {
  return Array.from({ length: random.between(0, 2) }, () => ({
    delayMs: random.between(0, 60),
    calls: Array.from({ length: random.between(1, 2) }, () => ({
      tool: random.pick({ look: 3, pay: 1 }),
      ms: random.between(2, 60),
    })),
  }));
}
