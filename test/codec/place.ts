import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { AgentClient } from '../../src/client/agent-client.js';
import type { CodecOptions } from '../../src/codec/data-converter.js';
import { startTemporaryServer, type TemporaryServer } from '../../src/server/temporary-server.js';
import { createWorker, type HoldfastWorker, type HoldfastWorkerOptions } from '../../src/worker.js';

export type CodecPlace = {
  server: TemporaryServer;
  client(codec: CodecOptions): Promise<AgentClient>;
  /** Runs `use` beside a worker; when it returns, the worker ends. */
  withWorker<Result>(
    options: Omit<HoldfastWorkerOptions, 'connection'>,
    use: (worker: HoldfastWorker) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
};

/** What the SDK and its native half log would fill the report: some of these tests fail tasks on purpose. */
export function quiet(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}

/** A Temporal server whose files belong to one test file. */
export async function codecPlace(): Promise<CodecPlace> {
  const server = await startTemporaryServer({ ui: false });
  const connection = await NativeConnection.connect({ address: server.address });
  const clients: AgentClient[] = [];
  return {
    server,
    async client(codec) {
      const client = await AgentClient.connect({ address: server.address, taskQueue: 'codec', codec });
      clients.push(client);
      return client;
    },
    async withWorker(options, use) {
      const made = await createWorker({ taskQueue: 'codec', ...options, connection });
      return await made.worker.runUntil(() => use(made));
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await connection.close();
      await server.stop();
    },
  };
}

/** A word that is nowhere else. */
export function secretWord(name: string): string {
  return `${name}${randomUUID().replaceAll('-', '')}`;
}

/** Which of the words are in the server's files: as text, or as a part of something that is base64. */
export function found(words: readonly string[], { folder }: TemporaryServer): string[] {
  const files = readdirSync(folder)
    .filter((name) => name.startsWith('temporal.'))
    .map((name) => readFileSync(join(folder, name)));
  const isIn = (text: string) => files.some((bytes) => bytes.includes(text));
  return words.filter((word) => isIn(word) || base64Parts(word).some(isIn));
}

/** The base64 of a word as it looks in a longer text, at each of the three places that its first byte may have. */
function base64Parts(word: string): string[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.from(' '.repeat(before) + word).toString('base64');
    return whole.slice(before === 0 ? 0 : 4, -4);
  });
}
