// What a worker registers. A workflow's name is on every running turn's history: never change one.
export { readMessages as 'holdfast.readMessages' } from './read-messages.js';
export { session as 'holdfast.session' } from './session/session.js';
export { turn as 'holdfast.turn' } from './turn.js';
