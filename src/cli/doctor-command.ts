import { ModelError } from '../shared/model-port.js';
import { type Checked, NOT_TRIED, runChecks } from './doctor/check.js';
import { type Endpoint, endpointOf, withoutKey } from './doctor/endpoint.js';
import { modelChecks, REQUESTS } from './doctor/model-checks.js';
import { line, notTriedLine } from './doctor/report.js';
import { type Section, wholeSections } from './doctor/whole.js';
import { EXIT_FAILED } from './exit-codes.js';
import { modelOf } from './model-access.js';
import { safeText, type Terminal, terminalOf } from './terminal.js';
import { UsageError } from './usage-error.js';

export type DoctorOptions = {
  /** `true`: without a name. Absent: everything is looked at, and no model is asked. */
  model?: string | true;
  baseUrl?: string;
  api: 'chat' | 'responses';
  /** Of each request, in seconds. */
  timeout: number;
  taskQueue?: string;
  json?: boolean;
};

/** `holdfast doctor`: what works and what does not. Returns the exit code: 0 where nothing failed. */
export async function doctorCommand(options: DoctorOptions): Promise<number> {
  if (options.model === undefined && options.baseUrl === undefined) return await wholeReport(options);
  const endpoint = await endpointFor(options);
  const title = `The model ${safeText(endpoint.model ?? '')}`.trim();
  const about = `at ${endpoint.url}: ${REQUESTS} tiny requests, which cost what they cost there.`;
  const sections = [{ title, about, checks: modelChecks(endpoint) }];
  const found = await report(sections, endpoint.key, options);
  const { style, write } = terminalOf(process.stdout);
  if (options.json) return codeOf(found);
  write(
    `${failedOnes(found).length === 0 ? style.green('Agents can use it.') : style.red('Agents can not use it as it is.')}\n`,
  );
  return codeOf(found);
}

async function wholeReport(options: DoctorOptions): Promise<number> {
  const { sections, close } = wholeSections(options.taskQueue);
  try {
    const found = await report(sections, process.env['OPENAI_API_KEY'] ?? '', options);
    const { write } = terminalOf(process.stdout);
    if (!options.json) write(`\n${verdict(terminalOf(process.stdout), found)}\n`);
    return codeOf(found);
  } finally {
    await close();
  }
}

/** Runs all checks and prints what they find: a line for each, or one of JSON for all. */
async function report(
  sections: readonly (Section & { about?: string })[],
  key: string,
  { json = false }: DoctorOptions,
): Promise<Checked[]> {
  const terminal = terminalOf(process.stdout);
  const { style } = terminal;
  const write = (text: string) => terminal.write(withoutKey(text, key));
  const found: Checked[] = [];
  for (const [index, { title, about, checks }] of sections.entries()) {
    if (!json) {
      write(`${index > 0 ? '\n' : ''}${style.bold(title)}${about ? ` ${style.dim(about)}` : ''}\n`);
    }
    const before = found.length;
    await runChecks(checks, (checked) => {
      found.push(checked);
      if (!json && checked.says !== NOT_TRIED) write(line(terminal, checked));
    });
    const notTried = found.slice(before).filter(({ says }) => says === NOT_TRIED).length;
    if (!json) write(notTriedLine(terminal, notTried));
  }
  if (json) write(`${JSON.stringify({ v: 1, ok: codeOf(found) === 0, checks: found })}\n`);
  return found;
}

function failedOnes(found: readonly Checked[]): Checked[] {
  return found.filter(({ status }) => status === 'failed');
}

function codeOf(found: readonly Checked[]): number {
  return failedOnes(found).length === 0 ? 0 : EXIT_FAILED;
}

function verdict({ style }: Terminal, found: readonly Checked[]): string {
  const names = failedOnes(found).map(({ check }) => check);
  if (names.length === 0) return style.green('All that agents need is there, or comes by itself.');
  return style.red(`To be mended, before agents can run: ${names.join(', ')}.`);
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
