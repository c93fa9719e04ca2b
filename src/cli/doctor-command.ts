import { ModelError } from '../shared/model-port.js';
import { type Checked, NOT_TRIED, runChecks } from './doctor/check.js';
import { type Endpoint, endpointOf, withoutKey } from './doctor/endpoint.js';
import { modelChecks, REQUESTS } from './doctor/model-checks.js';
import { line, notTriedLine } from './doctor/report.js';
import { EXIT_FAILED } from './exit-codes.js';
import { modelOf } from './model-access.js';
import { safeText, type Terminal, terminalOf } from './terminal.js';
import { UsageError } from './usage-error.js';

export type DoctorOptions = {
  /** `true`: without a name. */
  model?: string | true;
  baseUrl?: string;
  api: 'chat' | 'responses';
  /** Of each request, in seconds. */
  timeout: number;
  json?: boolean;
};

/** `holdfast doctor`: what works and what does not. Returns the exit code: 0 where nothing failed. */
export async function doctorCommand(options: DoctorOptions): Promise<number> {
  const endpoint = await endpointFor(options);
  const terminal = terminalOf(process.stdout);
  const { style } = terminal;
  const write = (text: string) => terminal.write(withoutKey(text, endpoint.key));
  const found: Checked[] = [];
  if (!options.json) write(`${style.bold('The model')} ${style.dim(opening(endpoint))}\n`);
  const well = await runChecks(modelChecks(endpoint), (checked) => {
    found.push(checked);
    if (!options.json && checked.says !== NOT_TRIED) write(line(terminal, checked));
  });
  if (options.json) write(`${JSON.stringify({ v: 1, ok: well, checks: found })}\n`);
  else write(`${notTriedLine(terminal, countNotTried(found))}${verdict(terminal, well)}\n`);
  return well ? 0 : EXIT_FAILED;
}

function countNotTried(found: readonly Checked[]): number {
  return found.filter(({ says }) => says === NOT_TRIED).length;
}

function verdict({ style }: Terminal, well: boolean): string {
  return well ? style.green('Agents can use it.') : style.red('Agents can not use it as it is.');
}

/** Throws a UsageError where nothing is set up, or what is set can't be right. */
async function endpointFor(options: DoctorOptions): Promise<Endpoint> {
  const { baseUrl, api, timeout } = options;
  const model = options.model === true ? undefined : options.model;
  const { env } = process;
  // Says what to set, and whether a local server could be used.
  if (!baseUrl && !env['OPENAI_BASE_URL']) await modelOf(env, model);
  try {
    return endpointOf(
      { api, timeoutMs: timeout * 1000, ...(model && { model }), ...(baseUrl && { baseUrl }) },
      env,
    );
  } catch (error) {
    throw error instanceof ModelError ? new UsageError(error.message) : error;
  }
}

function opening({ url, model }: Endpoint): string {
  const what = model === undefined ? '' : `${safeText(model)} `;
  return `${what}at ${url}: ${REQUESTS} tiny requests, which cost what they cost there.`;
}
