import { DefaultLogger, Runtime } from '@temporalio/worker';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ServerPlace } from '../../src/cli/doctor/server-speed.js';
import { serverSpeedChecks } from '../../src/cli/doctor/server-speed-checks.js';
import { freePorts } from '../../src/server/ports.js';
import { startTemporaryServer, type TemporaryServerOptions } from '../../src/server/temporary-server.js';
import { holdfast } from '../support/run-cli.js';

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

async function server(options: TemporaryServerOptions = {}): Promise<ServerPlace> {
  const started = await startTemporaryServer({ ui: false, ...options });
  onTestFinished(() => started.stop());
  return started;
}

async function findings(place: ServerPlace) {
  const [iterations, retries] = serverSpeedChecks(place);
  return { iterations: await iterations?.run(), retries: await retries?.run() };
}

const busy = { timeout: 240_000 };

test(
  "a server with Temporal's own settings is found to be throttled, and both settings are named",
  busy,
  async () => {
    const place = await server({ asShipped: true });
    let found = await findings(place);
    // A machine that is too busy for 20 tasks a second is not slowed down by the setting, either.
    for (let tries = 1; !found.iterations?.data?.['throttled'] && tries < 8; tries += 1)
      found = await findings(place);
    expect(found.iterations).toMatchObject({
      status: 'none',
      says: expect.stringMatching(/^An iteration takes \d+ ms .* Of them \d+ ms are spent waiting/),
      advice: expect.stringContaining(
        "temporal server start-dev --dynamic-config-value 'history.transferProcessorMaxPollRPS=2000'",
      ),
      data: { throttled: true, lateTimers: true },
    });
    expect(found.retries).toMatchObject({
      status: 'none',
      advice: expect.stringContaining(`'history.timerProcessorMaxTimeShift="10ms"'`),
    });
  },
);

test('the server that Holdfast starts has nothing to be set', async () => {
  const found = await findings(await server());
  expect(found.iterations?.data).toMatchObject({ throttled: false, lateTimers: false });
  expect(found.retries).toMatchObject({ status: 'ok' });
});

test('where no server answers, the command says so and exits with 1', async () => {
  const [port] = await freePorts(1);
  const running = holdfast(['doctor', '--server-speed'], { TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
  const { exitCode, stdout } = await running.finished;
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`No Temporal server answers at 127.0.0.1:${port}`);
});
