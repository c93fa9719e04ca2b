import { expect, test } from 'vitest';
import { makePlan } from '../../chaos/plan.js';

test('the same seed gives the same turns and the same faults', () => {
  expect(makePlan(200, 7)).toEqual(makePlan(200, 7));
});

test('another seed gives other turns and other faults', () => {
  const [one, other] = [makePlan(200, 7), makePlan(200, 8)];

  expect(one.turns).not.toEqual(other.turns);
  expect(one.faults).not.toEqual(other.faults);
});

test('where turns continue as new some are long enough for it, and all else is as it is without', () => {
  const [usual, long] = [makePlan(200, 7), makePlan(200, 7, 20)];

  expect(long.turns.filter(({ rounds }) => rounds.length > 20).length).toBeGreaterThan(20);
  expect(long.faults).toEqual(usual.faults);
  expect(long.turns.map(({ interventions }) => interventions)).toEqual(
    usual.turns.map(({ interventions }) => interventions),
  );
});

test('a whole run has both restarts of the server and every kind of fault and intervention', () => {
  const { turns, faults } = makePlan(200, 7);
  const kinds = new Set(turns.flatMap((turn) => turn.interventions.map(({ kind }) => kind)));

  expect(faults.filter(({ kind }) => kind === 'restart_server')).toHaveLength(2);
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(
    new Set(['kill', 'kill_amid', 'kill_supervisor', 'kill_supervisor_too', 'drain', 'restart_server']),
  );
  expect(kinds).toEqual(new Set(['steer', 'interrupt', 'stop', 'cancel']));
});
