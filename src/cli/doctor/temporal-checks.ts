import { AgentClient } from '../../client/agent-client.js';
import { isNotFound } from '../../client/not-found.js';
import { findServer, portTaken, type TemporalServer } from '../../server/embedded.js';
import { findProgram, LOCAL_SOURCES } from '../../server/find-program.js';
import { answersAsWebUi } from '../../server/grpc-probe.js';
import { listeningHost } from '../../server/ports.js';
import { runProgram } from '../../server/run-program.js';
import { ServerError } from '../../server/server-error.js';
import { resolveSettings } from '../../server/settings.js';
import { reach } from '../reach-server.js';
import { pollersOf } from '../turns/pollers.js';
import { type Check, type Finding, failed, NOT_TRIED, none, ok } from './check.js';

/** A Web UI elsewhere is not as near as ours. */
const UI_MS = 3000;

/** What the checks of Temporal have found so far, each for those after it. */
type Found = { server?: TemporalServer | undefined; client?: AgentClient; hopeless?: boolean };

/** The program, the server, and what it knows. `close` ends the connection that they have made. */
export function temporalChecks(taskQueue: string): { checks: Check[]; close: () => Promise<void> } {
  const found: Found = {};
  const connected = async (run: (client: AgentClient) => Promise<Finding>) =>
    found.client && !found.hopeless ? await run(found.client) : none(NOT_TRIED);
  return {
    checks: [
      { name: 'program', run: program },
      { name: 'server', run: () => server(found) },
      { name: 'namespace', run: () => connected((client) => namespace(client, found)) },
      { name: 'web ui', run: () => connected(() => webUi(found.server)) },
      { name: 'workers', run: () => connected((client) => workers(client, taskQueue)) },
      { name: 'speed', run: () => connected(speed) },
    ],
    close: async () => await found.client?.close(),
  };
}

/** Some seconds, and turns in the database: more than a glance may take. */
async function speed(): Promise<Finding> {
  return none(
    'Not measured.',
    'Whether the server is throttled, and what to set: holdfast doctor --server-speed',
  );
}

/** Looks where no download is needed. */
async function program(): Promise<Finding> {
  const { env } = process;
  const { cacheDir } = resolveSettings({});
  try {
    const path = await findProgram({ env, cacheDir, onProgress: () => {} }, LOCAL_SOURCES);
    const { output } = await runProgram(path, ['--version'], { timeoutMs: 10_000 });
    const version = output.split('\n').find((each) => each.startsWith('temporal version')) ?? '';
    return ok(`${version.replace(/^temporal /, '')}, at ${path}`, { path });
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const [tried] = error.tried;
    if (env['HOLDFAST_TEMPORAL_CLI']) {
      return failed(
        `HOLDFAST_TEMPORAL_CLI: ${tried?.reason}`,
        'Correct it, or unset it: then one is found or fetched.',
      );
    }
    if (env['TEMPORAL_ADDRESS'])
      return none('None here, and none is needed: TEMPORAL_ADDRESS names a server.');
    return none('None here yet.', 'It is fetched when a server is started, as by: holdfast server start');
  }
}

async function server(found: Found): Promise<Finding> {
  found.server = await findServer();
  if (!found.server) return await noServer();
  const { address, namespace, source, uiUrl } = found.server;
  const startedAt = performance.now();
  try {
    // Without keys: bad ones are another check's finding.
    const client = await reach(address, () => AgentClient.connect({ address, namespace, codec: {} }));
    found.client = client;
    const { serverVersion } = await client.client.workflowService.getSystemInfo({});
    const ms = Math.round(performance.now() - startedAt);
    const named = source === 'TEMPORAL_ADDRESS' ? ', which TEMPORAL_ADDRESS names' : '';
    const data = { address, version: serverVersion ?? '', ...(uiUrl && { uiUrl }) };
    return ok(`Temporal ${serverVersion} answers at ${address}${named}, in ${ms} ms.`, data);
  } catch (error) {
    const [says = '', ...advice] = (error instanceof Error ? error.message : String(error)).split('\n');
    return failed(says, advice.join(' '));
  }
}

/** One is started when it is needed, if its ports are free. */
async function noServer(): Promise<Finding> {
  const { port, uiPort } = resolveSettings({});
  const wanted = [
    { port, variable: 'HOLDFAST_PORT', what: 'Temporal' },
    { port: uiPort, variable: 'HOLDFAST_UI_PORT', what: "Temporal's Web UI" },
  ];
  for (const { port, variable, what } of wanted) {
    if ((await listeningHost(port)) === undefined) continue;
    const { message } = portTaken(port, variable, what);
    const end = message.indexOf('. ') + 1;
    return failed(message.slice(0, end), message.slice(end));
  }
  return none(
    `None runs; the ports ${port} and ${uiPort} are free for one.`,
    'holdfast run and holdfast worker start it. By itself: holdfast server start',
  );
}

async function namespace({ client }: AgentClient, found: Found): Promise<Finding> {
  const name = client.options.namespace;
  try {
    const { config } = await client.workflowService.describeNamespace({ namespace: name });
    const hours = Math.round(Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600);
    const kept = hours % 24 === 0 ? `${hours / 24} day${hours === 24 ? '' : 's'}` : `${hours} h`;
    return ok(`"${name}", which keeps ended turns for ${kept}.`, { namespace: name, retentionHours: hours });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    found.hopeless = true;
    return failed(
      `The server has no namespace "${name}".`,
      `Correct TEMPORAL_NAMESPACE, or make it: temporal operator namespace create --namespace ${name}`,
    );
  }
}

async function webUi(server: TemporalServer | undefined): Promise<Finding> {
  if (server?.uiUrl === undefined) {
    return none('None is known.', 'Where there is one, set TEMPORAL_UI_URL: turns are linked to it.');
  }
  if (await answersAsWebUi(server.uiUrl, UI_MS)) return ok(server.uiUrl, { url: server.uiUrl });
  return none(
    `Nothing answers as Temporal's Web UI at ${server.uiUrl}.`,
    'Correct TEMPORAL_UI_URL, or start it.',
  );
}

async function workers({ client }: AgentClient, taskQueue: string): Promise<Finding> {
  const pollers = await pollersOf(client, taskQueue);
  const names = pollers.map(({ identity }) => identity);
  if (pollers.length > 0) {
    return ok(`${pollers.length} polled the queue "${taskQueue}" in the last minute: ${names.join(', ')}`, {
      taskQueue,
      identities: names,
    });
  }
  const queue = taskQueue === 'holdfast' ? '' : ` --task-queue ${taskQueue}`;
  return none(
    `None polls the queue "${taskQueue}": turns there wait. A holdfast run brings its own.`,
    `holdfast worker <module>${queue}`,
  );
}
