// What a worker registers. A workflow's name is on every running turn's history: never change one.
export { turn as 'holdfast.turn' } from './turn.js';
