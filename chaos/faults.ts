import { setTimeout } from 'node:timers/promises';
import type { TemporaryServer } from '../dist/server/temporary-server.js';
import type { Machine } from './machine.js';
import type { PlannedFault } from './plan.js';
import { appendRecord, type Deed, type LedgerLine, RecordTail } from './records.js';

export type World = {
  server: TemporaryServer;
  machines: readonly Machine[];
  ledgerPath: string;
  deedsPath: string;
  /** Resolves once turn number `turn`, from 0, has started, or none will any more. */
  started(turn: number): Promise<void>;
  /** All turns have ended. */
  isOver(): boolean;
};

const SERVING_WITHIN_MS = 6000;
/** By then the next worker is loaded and stands by. */
const WARM_AFTER_MS = 3000;
/** A kill that aims at a tool waits so long for it to run. */
const AIM_MS = 6000;
const POLL_MS = 4;

/** Does what the plan says, one fault after the other. */
export async function inflict(faults: readonly PlannedFault[], world: World): Promise<void> {
  for (const fault of faults) {
    await world.started(fault.turn);
    if (!world.isOver()) await setTimeout(fault.afterMs);
    // Where nothing runs any more there is nothing to kill; that all of it outlives a restart is still to be seen.
    if (!world.isOver() || fault.kind === 'restart_server') await inflictOne(fault, world);
  }
}

async function inflictOne(fault: PlannedFault, world: World): Promise<void> {
  const note = (deed: Deed) => appendRecord(world.deedsPath, deed);
  const kill = (machine: Machine, pid: number, supervised: boolean) => {
    if (machine.pid !== pid) return;
    note({ deed: 'killed', at: Date.now(), pid, supervised });
    if (supervised) machine.kill();
    else machine.killAll();
  };
  switch (fault.kind) {
    case 'restart_server': {
      const at = Date.now();
      world.server.kill();
      await setTimeout(fault.downMs);
      await world.server.restart();
      return note({ deed: 'server_restarted', at, downMs: Date.now() - at });
    }
    case 'kill_amid': {
      const found = await running(fault, world);
      return found && kill(found.machine, found.pid, true);
    }
    case 'kill':
    case 'kill_supervisor':
    case 'kill_supervisor_too':
    case 'drain': {
      const machine = world.machines[fault.worker];
      const isHasty = fault.kind === 'kill' && fault.hasty;
      const pid = await machine?.serving(SERVING_WITHIN_MS, isHasty ? 0 : WARM_AFTER_MS);
      if (!machine || pid === undefined) return;
      if (fault.kind === 'kill' || fault.kind === 'kill_supervisor_too') {
        return kill(machine, pid, fault.kind === 'kill');
      }
      note({ deed: fault.kind === 'drain' ? 'drained' : 'orphaned', at: Date.now(), pid });
      return fault.kind === 'drain' ? machine.drain() : machine.killSupervisor();
    }
    default:
      fault satisfies never;
  }
}

type Amid = Extract<PlannedFault, { kind: 'kill_amid' }>;

/** The first machine in whose worker the ledger shows that a body of the tool has begun, from now on, and not ended. */
async function running(
  { tool, hasty }: Amid,
  { machines, ledgerPath, isOver }: World,
): Promise<{ machine: Machine; pid: number } | undefined> {
  const tail = new RecordTail<LedgerLine>(ledgerPath);
  const open = new Map<string, number>();
  try {
    for (const until = Date.now() + AIM_MS; Date.now() < until && !isOver(); await setTimeout(POLL_MS)) {
      for (const line of tail.read()) {
        if (line.tool === tool && line.event === 'began') open.set(line.key, line.pid);
        if (line.event === 'ended') open.delete(line.key);
      }
      const pids = [...open.values()];
      for (const machine of machines) {
        const pid = machine.servingFor(hasty ? 0 : WARM_AFTER_MS);
        if (pid !== undefined && pids.includes(pid)) return { machine, pid };
      }
    }
    return undefined;
  } finally {
    tail.close();
  }
}
