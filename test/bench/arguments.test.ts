import { expect, test } from 'vitest';
import { parseBenchArguments } from '../../bench/arguments.js';

const benches = { iteration: { what: 'an iteration' }, 'cold-start': { what: 'a start' } };

test('a bench is named with its options', () => {
  const { name, options } = parseBenchArguments(['iteration', '--runs', '3', '--n', '10,100'], benches);
  expect(name).toBe('iteration');
  expect(options).toEqual({ runs: 3, rounds: [10, 100] });
});

test.each([
  ['an unknown bench', ['speed'], 'There is no bench "speed".'],
  ['no bench', [], 'Which bench?'],
  ['two benches', ['iteration', 'cold-start'], 'One bench at a time, not also "cold-start".'],
  ['an unknown option', ['iteration', '--fast'], "Unknown option '--fast'"],
  ['a count that is none', ['iteration', '--runs', '0'], '--runs takes whole numbers above 0, not "0".'],
])('%s is refused, naming the benches that there are', (_, args, problem) => {
  const parse = () => parseBenchArguments(args, benches);
  expect(parse).toThrow(problem);
  expect(parse).toThrow(/iteration .*an iteration[\s\S]*cold-start .*a start/);
});
