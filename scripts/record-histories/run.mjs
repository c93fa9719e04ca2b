// Runs one turn of each kind and keeps its event history in test/replay/histories, where the tests replay it with
// the present workflow code. Run it (npm run record-histories) when a kind is new; a history that is there is the
// record of turns that are running somewhere, and stays as it is.
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { interruptions } from './kinds/interruptions.mjs';
import { longTurns } from './kinds/long-turns.mjs';
import { sessions } from './kinds/sessions.mjs';
import { subAgents } from './kinds/sub-agents.mjs';
import { toolKinds } from './kinds/tools.mjs';
import { turns } from './kinds/turns.mjs';
import { waiting } from './kinds/waiting.mjs';
import { record } from './record-history.mjs';

const folder = fileURLToPath(new URL('../../test/replay/histories/', import.meta.url));
const kinds = {
  ...turns,
  ...longTurns,
  ...interruptions,
  ...waiting,
  ...toolKinds,
  ...subAgents,
  ...sessions,
};

Runtime.install({ logger: new DefaultLogger('ERROR') });
mkdirSync(folder, { recursive: true });
for (const [name, kind] of Object.entries(kinds)) {
  const file = `${folder}${name}.bin`;
  if (existsSync(file)) continue;
  await record(name, kind, file);
  console.log(`recorded ${name}`);
}
process.exit(0);
