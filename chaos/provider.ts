// The strict provider, in a process of its own, and of everybody else's: what it refuses it writes down itself.
import { serveScriptedModel } from 'holdfast/testing';
import { appendRecord, type Refusal } from './records.js';
import { script } from './script.js';

const POLL_MS = 50;

const [, , refusalsPath = ''] = process.argv;
const { url, requests, refusals } = await serveScriptedModel(script, { strict: true, pieceChars: 64 });
const writeDown = () => {
  // What was asked is kept for tests, and is not needed here.
  requests.length = 0;
  for (const why of refusals.splice(0)) appendRecord<Refusal>(refusalsPath, { at: Date.now(), why });
};
setInterval(writeDown, POLL_MS);
process.on('disconnect', () => {
  writeDown();
  process.exit(0);
});
process.send?.(url);
