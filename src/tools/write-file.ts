import { z } from 'zod';
import { defineTool, notDone, type Tool } from '../define/define-tool.js';
import { writeAtomically } from './atomic-write.js';
import { openInWorkspace } from './open-file.js';
import { counted } from './wording.js';
import { fileKey, PathRefusedError, pathSubject, resolveInWorkspace } from './workspace.js';

const input = z.object({
  path: z.string().describe('Relative to the workspace root'),
  content: z.string().describe('The whole content of the file'),
});

type Args = z.output<typeof input>;

/**
 * The tool that writes whole files below `root`, each in one step. After a crash in its middle, `reconcile` looks at
 * the file: with exactly this content in place the call counts as done. Whether it was then created or replaced can't
 * be told, so that part is left out of the answer.
 */
export function writeFileTool(root: string): Tool<typeof input, string> {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a file in the workspace, creating it and its parent folders or replacing all of it. To change a part of a file use edit_file.',
    input,
    timeout: '2 minutes',
    parallel: false,
    concurrencyKey: fileKey(root),
    effects: 'edits',
    subject: pathSubject(root),
    run: async (args, context) => {
      const { created } = await write(root, args, context.signal);
      return `${done(args)} (${created ? 'created' : 'replaced'})`;
    },
    reconcile: async (_key, args) => ((await holds(root, args)) ? done(args) : notDone),
  });
}

async function write(root: string, args: Args, signal: AbortSignal): Promise<{ created: boolean }> {
  signal.throwIfAborted();
  if (args.path.endsWith('/'))
    throw new Error(`path ${JSON.stringify(args.path)} names a directory, not a file`);
  const path = await resolveInWorkspace(root, args.path);
  try {
    return await writeAtomically(path, Buffer.from(args.content), signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    throw new Error(`Cannot write ${JSON.stringify(args.path)}: ${error.message}`, { cause: error });
  }
}

function done({ path, content }: Args): string {
  return `Wrote ${counted(Buffer.byteLength(content), 'byte')} (${counted(lineCount(content), 'line')}) to ${path}`;
}

function lineCount(text: string): number {
  const ends = text.split('\n').length - 1;
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}

async function holds(root: string, args: Args): Promise<boolean> {
  const content = Buffer.from(args.content);
  try {
    const opened = await openInWorkspace(root, args.path);
    if (opened.type !== 'file') return false;
    try {
      return opened.size === content.length && content.equals(await opened.handle.readFile());
    } finally {
      await opened.handle.close();
    }
  } catch (error) {
    if (error instanceof PathRefusedError) return false;
    throw error;
  }
}
