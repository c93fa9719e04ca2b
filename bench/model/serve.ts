// The model of all benches, in a process of its own: what it costs is in nobody's event loop.
import { serveScriptedModel } from 'holdfast/testing';
import { script } from './script.js';

const { url, requests } = await serveScriptedModel(script, { strict: false });
// What was asked is kept for tests; a hundred rounds of a naive loop are 20 MB of it.
setInterval(() => {
  requests.length = 0;
}, 200);
process.on('disconnect', () => process.exit(0));
process.send?.(url);
