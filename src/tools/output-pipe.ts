import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A pipe: the end that we read, and the descriptor that a child process writes to. `closeWriter` once it has it, or twice. */
export type OutputPipe = { reader: Socket; writer: number; closeWriter(): void };

/**
 * Makes a pipe that serves as a child's stdout and stderr at once, so that the two arrive in the order they were
 * written. Node's own `'pipe'` can't do that, and is a socket, on which `echo x > /dev/stderr` fails (nodejs/node
 * issue 21941). Node has no pipe(2); a FIFO that is unlinked once it is open is the same.
 */
export async function openOutputPipe(): Promise<OutputPipe> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
  try {
    const path = join(folder, 'output');
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    const reader = new Socket({ fd: readEnd, readable: true, writable: false });
    let open = true;
    const closeWriter = () => {
      if (open) closeSync(writer);
      open = false;
    };
    return { reader, writer, closeWriter };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
