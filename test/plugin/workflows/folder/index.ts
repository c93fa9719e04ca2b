export { turn } from '../reports.js';
