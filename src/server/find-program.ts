import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installedProgram } from './installed-program.js';
import { checkProgram, type ProgramSource, type SourceContext } from './program-source.js';
import { PYTHON_INSTALL_NAME, pythonPackage } from './python-package.js';
import { sdkDownload, sdkInstallName } from './sdk-download.js';
import { type FailedSource, ServerError } from './server-error.js';

const namedByEnvironment: ProgramSource = {
  name: 'HOLDFAST_TEMPORAL_CLI',
  async find({ env }) {
    const program = env['HOLDFAST_TEMPORAL_CLI'];
    return program ? checkProgram(program) : { type: 'failed', reason: 'not set' };
  },
};

export const onPath: ProgramSource = {
  name: 'the program temporal on PATH',
  async find({ env }) {
    const file = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
    for (const folder of (env['PATH'] ?? '').split(delimiter)) {
      const program = join(folder, file);
      // Checked by running it: a version manager's shim is there, and fails, for a program it does not have.
      if (folder !== '' && (await isExecutable(program))) return checkProgram(program);
    }
    return { type: 'failed', reason: 'not there' };
  },
};

export const inCache: ProgramSource = {
  name: 'our cache',
  async find({ cacheDir }) {
    for (const name of [sdkInstallName(), PYTHON_INSTALL_NAME]) {
      const program = await installedProgram(cacheDir, name);
      if (program !== undefined) return { type: 'found', program };
    }
    return { type: 'failed', reason: `nothing whole in ${cacheDir}` };
  },
};

/** Those that fetch nothing. */
export const LOCAL_SOURCES: readonly ProgramSource[] = [namedByEnvironment, onPath, inCache];

/** In the order in which they are tried. */
export const PROGRAM_SOURCES: readonly ProgramSource[] = [...LOCAL_SOURCES, sdkDownload, pythonPackage()];

/**
 * The path of a Temporal program that runs here.
 * @throws ServerError `Server.NotFound` with every source tried and why it failed; at once where HOLDFAST_TEMPORAL_CLI is
 * set to a program that does not run, since another program than the one named would be a surprise.
 */
export async function findProgram(
  context: SourceContext,
  sources: readonly ProgramSource[] = PROGRAM_SOURCES,
): Promise<string> {
  const tried: FailedSource[] = [];
  for (const source of sources) {
    const result = await source.find(context);
    if (result.type === 'found') return result.program;
    tried.push({ source: source.name, reason: result.reason });
    if (source === namedByEnvironment && context.env['HOLDFAST_TEMPORAL_CLI']) break;
  }
  throw notFound(tried);
}

function notFound(tried: readonly FailedSource[]): ServerError {
  const lines = [
    'No Temporal server is running, and none could be had. Tried:',
    ...tried.map(({ source, reason }) => `  - ${source}: ${reason}`),
    'What to do, one of:',
    '  - install the Temporal CLI, so that `temporal` is on PATH;',
    '  - set HOLDFAST_TEMPORAL_CLI to the path of the Temporal CLI;',
    '  - set TEMPORAL_ADDRESS to the host:port of a Temporal server that runs elsewhere.',
  ];
  return new ServerError('Server.NotFound', lines.join('\n'), tried);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
