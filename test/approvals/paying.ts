import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { type EndedTurn, PATIENCE } from '../interventions/ended-turn.js';
import { countedTool } from '../turn/agents.js';

/** A tool that asks before it pays; what it was run with. */
export function payTool(name = 'pay') {
  return countedTool(
    name,
    { to: z.string(), cents: z.number().default(() => Math.random()) },
    ({ to }) => `paid ${to}`,
    { approval: 'ask' },
  );
}

/** Resolves with the ids of the calls that wait for people, once there are so many. */
export async function untilAsked(turn: TurnHandle, count = 1): Promise<string[]> {
  const state = await vi.waitFor(async () => {
    const found = await turn.state();
    expect(found.waitingFor).toHaveLength(count);
    return found;
  }, PATIENCE);
  return (state.waitingFor ?? []).map(({ callId }) => callId);
}

/** How people have decided, in order. */
export const decisions = ({ events }: EndedTurn) =>
  events.flatMap((event) => (event.type === 'decided' ? [event.decision.kind] : []));
/** Of each result its cause, where it has one. */
export const statuses = ({ results }: EndedTurn) => results.map(({ status, cause }) => cause ?? status);
