import { z } from 'zod';
import { defineTool, type Tool } from '../define/define-tool.js';
import { writeAtomically } from './atomic-write.js';
import { openRegularFile } from './open-file.js';
import { editedText, matchesAt } from './text-edit.js';
import { counted } from './wording.js';
import { fileKey, pathSubject } from './workspace.js';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

const input = z.object({
  path: z.string().describe('Relative to the workspace root'),
  old_text: z.string().min(1).describe('What is to be replaced, exactly as in the file'),
  new_text: z.string().describe('What takes its place'),
  replace_all: z.boolean().optional().describe('Replace every match; without it there must be exactly one'),
});

/**
 * The tool that replaces one exact text in a file below `root`, in one step. It has no `reconcile`: after a crash the
 * file alone doesn't tell an edit that was made from one that never matched.
 */
export function editFileTool(root: string): Tool<typeof input, string> {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces text in a file in the workspace. old_text must match exactly and only once (whitespace counts, line numbers are no part of it), unless replace_all is set.',
    input,
    timeout: '2 minutes',
    parallel: false,
    concurrencyKey: fileKey(root),
    effects: 'edits',
    subject: pathSubject(root),
    run: async ({ path, old_text, new_text, replace_all = false }, context) => {
      context.signal.throwIfAborted();
      const file = await readText(root, path);
      const edited = editedText(file.text, {
        oldText: old_text.toWellFormed(),
        newText: new_text.toWellFormed(),
        replaceAll: replace_all,
      });
      await writeAtomically(file.path, Buffer.from(edited.text), context.signal);
      return `Edited ${path}: replaced ${matchesAt(edited.lines)}`;
    },
  });
}

async function readText(root: string, asked: string): Promise<{ path: string; text: string }> {
  const { handle, size, path } = await openRegularFile(root, asked);
  try {
    if (size > MAX_FILE_BYTES) {
      throw new Error(
        `${JSON.stringify(asked)} has ${counted(size, 'byte')}; edit_file takes at most ${MAX_FILE_BYTES}. Use bash, for instance with sed.`,
      );
    }
    const bytes = await handle.readFile();
    // The mark at the start of the file, if it has one, is kept.
    const text = bytes.includes(0) ? undefined : decoded(bytes);
    if (text === undefined) {
      throw new Error(`${JSON.stringify(asked)} is a binary file of ${counted(size, 'byte')}.`);
    }
    return { path, text };
  } finally {
    await handle.close();
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
