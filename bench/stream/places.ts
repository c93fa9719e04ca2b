import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AgentClient } from 'holdfast/client';
import { startTemporaryServer } from '../../dist/server/temporary-server.js';
import { WORD_LENGTH } from './words.js';

export type Rate = { words: number; perSecond: number };

/** CPU time of each process so far, ms. The server's is known on Linux only. */
type Cpu = { worker: number; client: number; server: number };

export type StreamedTurn = {
  /** From the model's connection to the client, of each word that came as a piece, ms. */
  delaysMs: number[];
  /** How many pieces the words came in. */
  pieces: number;
  cpuMs: Cpu;
};

export type Places = {
  /** Runs one turn whose reply streams. Unwatched, nobody reads it and the turn was not started to be watched. */
  turn(watched: boolean): Promise<StreamedTurn>;
  close(): Promise<void>;
};

/** Temporal's server, the model and the worker have a process each; the client is this one. */
export async function openPlaces({ words, perSecond }: Rate): Promise<Places> {
  const server = await startTemporaryServer({ ui: false });
  const model = program(new URL('./token-server.js', import.meta.url), String(words), String(perSecond));
  const worker = program(
    new URL('./worker.js', import.meta.url),
    server.address,
    String(await messageOf(model)),
  );
  await messageOf(worker);
  const client = await AgentClient.connect({ address: server.address });

  async function cpu(): Promise<Cpu> {
    const told = messageOf(worker);
    worker.send('cpu');
    const { user, system } = process.cpuUsage();
    return { worker: Number(await told), client: (user + system) / 1000, server: await cpuOf(server.pid) };
  }

  return {
    async turn(watched) {
      const sent = messageOf(model) as Promise<number[]>;
      const before = await cpu();
      const turn = await client.start('speaker', 'Speak.', { stream: watched });
      const shown: { at: number; upTo: number }[] = [];
      if (watched) {
        for await (const event of turn.events()) {
          if (event.type !== 'text_delta') continue;
          const upTo = Math.floor((event.offset + event.text.length) / WORD_LENGTH);
          shown.push({ at: performance.timeOrigin + performance.now(), upTo });
        }
      }
      await turn.result();
      const after = await cpu();
      const sentAt = await sent;
      return {
        delaysMs: delaysOf(sentAt, shown),
        pieces: shown.length,
        cpuMs: {
          worker: after.worker - before.worker,
          client: after.client - before.client,
          server: after.server - before.server,
        },
      };
    },
    async close() {
      for (const child of [worker, model]) child.disconnect();
      await client.close();
      await server.stop();
    },
  };
}

function delaysOf(sentAt: readonly number[], shown: readonly { at: number; upTo: number }[]): number[] {
  return sentAt.flatMap((at, number) => {
    const piece = shown.find(({ upTo }) => upTo > number);
    return piece ? [piece.at - at] : [];
  });
}

function program(file: URL, ...args: string[]): ChildProcess {
  return fork(fileURLToPath(file), args);
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const gone = new AbortController();
  const exited = once(child, 'exit', { signal: gone.signal }).then(([code]) => {
    throw new Error(`A process of the bench ended with code ${code}.`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: gone.signal }), exited]);
    return message;
  } finally {
    gone.abort();
    exited.catch(() => undefined);
  }
}

/** proc(5): the fields after the command, which is in brackets; a tick is 10 ms. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
