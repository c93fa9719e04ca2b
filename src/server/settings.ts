import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ServerError } from './server-error.js';

/** Temporal's own defaults: every client, tool and tutorial looks there first. */
const DEFAULT_PORT = 7233;
const DEFAULT_UI_PORT = 8233;

/** Where the embedded server lives and keeps its things, after options, environment and defaults. */
export type ServerSettings = {
  port: number;
  /** False where the port is only the default: then our server at another port will do as well. */
  portWasAsked: boolean;
  uiPort: number;
  namespace: string;
  dataDir: string;
  cacheDir: string;
};

export type SettingsOptions = {
  port?: number;
  uiPort?: number;
  dataDir?: string;
  cacheDir?: string;
  env?: NodeJS.ProcessEnv;
};

/** Options win over HOLDFAST_PORT, HOLDFAST_UI_PORT, HOLDFAST_STATE_DIR and HOLDFAST_CACHE_DIR, those over defaults. */
export function resolveSettings(options: SettingsOptions): ServerSettings {
  const env = options.env ?? process.env;
  const asked = options.port ?? portFrom('HOLDFAST_PORT', env);
  const port = asked ?? DEFAULT_PORT;
  const uiPort = options.uiPort ?? portFrom('HOLDFAST_UI_PORT', env);
  return {
    port,
    portWasAsked: asked !== undefined,
    uiPort: uiPort ?? (port === DEFAULT_PORT ? DEFAULT_UI_PORT : uiPortBeside(port)),
    namespace: env['TEMPORAL_NAMESPACE'] || 'default',
    dataDir: resolve(options.dataDir ?? stateDirectory(env)),
    cacheDir: resolve(options.cacheDir ?? cacheDirectory(env)),
  };
}

function cacheDirectory(env: NodeJS.ProcessEnv): string {
  if (env['HOLDFAST_CACHE_DIR']) return env['HOLDFAST_CACHE_DIR'];
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'holdfast');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'holdfast');
  return join(homedir(), '.cache', 'holdfast');
}

function stateDirectory(env: NodeJS.ProcessEnv): string {
  if (env['HOLDFAST_STATE_DIR']) return env['HOLDFAST_STATE_DIR'];
  if (env['XDG_STATE_HOME']) return join(env['XDG_STATE_HOME'], 'holdfast');
  return join(homedir(), '.local', 'state', 'holdfast');
}

function portFrom(name: string, env: NodeJS.ProcessEnv): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
  throw new ServerError('Server.BadSetting', `${name} is "${text}", but a port is a number from 1 to 65535.`);
}

/** Temporal's rule, port + 1000, as long as that is a port. */
function uiPortBeside(port: number): number {
  return port + 1000 <= 65_535 ? port + 1000 : port - 1000;
}
