import { serverStatus } from '../../server/embedded.js';
import { EXIT_FAILED } from '../exit-codes.js';
import { installQuietRuntime } from '../quiet-runtime.js';
import { terminalOf } from '../terminal.js';
import { type Checked, runChecks } from './check.js';
import { line } from './report.js';
import type { ServerPlace } from './server-speed.js';
import { serverSpeedChecks } from './server-speed-checks.js';

/** `holdfast doctor --server-speed`: takes some seconds. Returns the exit code: 0 where it could be measured. */
export async function serverSpeedCommand(options: { json?: boolean }): Promise<number> {
  installQuietRuntime();
  const place = await serverPlace();
  const terminal = terminalOf(process.stdout);
  const { style, write } = terminal;
  if (!options.json) {
    write(
      `${style.bold('The Temporal server')} ${style.dim(`at ${place.address}: two small turns, of some seconds.`)}\n`,
    );
  }
  const found: Checked[] = [];
  const well = await runChecks(serverSpeedChecks(place), (checked) => {
    found.push(checked);
    if (!options.json) write(line(terminal, checked));
  });
  if (options.json) write(`${JSON.stringify({ v: 1, ok: well, checks: found })}\n`);
  return well ? 0 : EXIT_FAILED;
}

/** The one that a worker would use; none is started. */
async function serverPlace(env: NodeJS.ProcessEnv = process.env): Promise<ServerPlace> {
  const namespace = env['TEMPORAL_NAMESPACE'] || 'default';
  if (env['TEMPORAL_ADDRESS']) return { address: env['TEMPORAL_ADDRESS'], namespace };
  const status = await serverStatus();
  return { address: status.state === 'stopped' ? 'localhost:7233' : status.address, namespace };
}
