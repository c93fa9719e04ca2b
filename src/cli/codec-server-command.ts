import { once } from 'node:events';
import { codecServer } from '../codec/codec-server.js';
import { dataConverter } from '../codec/data-converter.js';
import { KEYS_VARIABLE } from '../codec/keyring.js';
import { resolveSettings } from '../server/settings.js';
import { checkedCodec } from './codec-settings.js';
import { UsageError } from './usage-error.js';

export type CodecServerCommandOptions = { port: number; origin?: string[]; token?: string };

/** `holdfast codec-server`: decodes for the Web UI until it is ended. Throws a UsageError for what it can't start with. */
export async function codecServerCommand(options: CodecServerCommandOptions): Promise<void> {
  const codec = checkedCodec();
  if (!codec.keys) {
    throw new UsageError(
      `${KEYS_VARIABLE} is not set: there is no key to decode with. Give it the value that the workers have.`,
    );
  }
  const { port } = options;
  const origins = (options.origin ?? webUiOrigins()).map(checkedOrigin);
  const token = options.token ?? process.env['HOLDFAST_CODEC_TOKEN'];
  const server = codecServer({ converter: dataConverter(codec), origins, ...(token && { token }) });
  server.listen({ host: '127.0.0.1', port });
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new UsageError(`Port ${port} is taken. Choose another one with --port.`);
    }
    throw error;
  }
  process.stdout.write(
    `Decoding at http://localhost:${port} for pages of ${origins.join(' and ')}${token ? ', with the token' : ''}.\n`,
  );
  const [signal] = await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  process.stdout.write(`Ended by ${signal ?? 'a signal'}.\n`);
  server.closeAllConnections();
  server.close();
}

/** Of the embedded server, as a browser may spell them. */
function webUiOrigins(): string[] {
  const { uiPort } = resolveSettings({});
  return [`http://localhost:${uiPort}`, `http://127.0.0.1:${uiPort}`];
}

function checkedOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.origin;
  throw new UsageError(
    `The origin ${JSON.stringify(text)} can't be one: it is http://host:port or https://host.`,
  );
}
