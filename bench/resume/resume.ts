import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from 'holdfast/client';
import { startTemporaryServer } from '../../dist/server/temporary-server.js';
import type { BenchOptions } from '../arguments.js';
import { rounded, table } from '../figures.js';
import { startPageModel } from '../model/page-model.js';
import { alternating } from './alternating.js';
import { killed } from './killed.js';
import { type Figures, type Reference, undisturbed } from './turns.js';

type Result = {
  killedAt: number;
  bytesRead: number | null;
  pages: number;
  resumeMs: number;
  iterations: number;
  alternating: { workers: number } & Figures;
};

const DEFAULT_ROUNDS = 1000;

/**
 * A turn whose worker is killed half-way, and one of whose activities two workers take turns while workers come and go.
 * Throws unless the model was sent, byte for byte, what it is sent in an undisturbed turn.
 */
export async function runResume(options: BenchOptions): Promise<Result> {
  const rounds = options.rounds?.[0] ?? DEFAULT_ROUNDS;
  const [server, model] = await Promise.all([
    startTemporaryServer({ ui: false }),
    startPageModel({ hash: true }),
  ]);
  const { address } = server;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const client = await AgentClient.connect({ address });
  try {
    const place = { address, folder, client, model, rounds };
    const reference: Reference = await undisturbed(place);
    const kill = await killed(place, reference);
    const turns = await alternating(place, reference);
    const row = (name: string, figures: Figures, ms: string) => [
      ...[name, figures.misses, figures.pages, figures.bytesRead ?? 'not told', ms],
    ];
    console.log(
      table([
        [
          `a turn of ${rounds} iterations`,
          'reads that missed',
          'pages',
          'bytes read',
          'ms to the next model call',
        ],
        row(`killed at ${kill.killedAt}, amid a model call`, kill, kill.resumeMs.toFixed(0)),
        row(`${turns.workers} workers, two at a time`, turns, ''),
      ]),
    );
    console.log('Each was sent, and has kept, what an undisturbed turn was sent.');
    return {
      ...{ killedAt: kill.killedAt, bytesRead: kill.bytesRead, pages: kill.pages },
      ...{ resumeMs: rounded(kill.resumeMs), iterations: kill.iterations, alternating: turns },
    };
  } finally {
    await client.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
