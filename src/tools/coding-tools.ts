import type { Tool } from '../define/define-tool.js';
import { bashTool } from './bash.js';
import { editFileTool } from './edit-file.js';
import { readFileTool } from './read-file.js';
import { workspaceRoot } from './workspace.js';
import { writeFileTool } from './write-file.js';

export type CodingToolsOptions = {
  /** The folder that the tools work in. It must exist. */
  root: string;
  /** Added to the environment of `bash`, also what it would not get from the worker's: keys, tokens, passwords. */
  env?: Readonly<Record<string, string>>;
};

/**
 * `read_file`, `write_file`, `edit_file` and `bash` for one folder. The first three can't leave it, by `..`, by an
 * absolute path or by a symlink; `bash` can. Those that change something run alone (`parallel: false`), in the order
 * the model asked; only writes and edits of different files run side by side. Throws when the folder doesn't exist.
 */
export function codingTools(options: CodingToolsOptions): Tool[] {
  const root = workspaceRoot(options.root);
  return [readFileTool(root), writeFileTool(root), editFileTool(root), bashTool(root, options.env ?? {})];
}
