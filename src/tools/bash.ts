import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { defineTool, type Tool, type ToolContext } from '../define/define-tool.js';
import { readRestHint } from '../shared/artifacts.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { CappedOutput } from './capped-output.js';
import { childEnvironment } from './child-environment.js';
import { type CommandEnd, runCommand } from './run-command.js';
import { throttled } from './throttle.js';
import { WholeOutput } from './whole-output.js';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;
const MAX_OUTPUT_CHARACTERS = 30_000;
/** Of the whole output, for an artifact. */
const KEPT = { memoryBytes: 4 * MAX_OUTPUT_CHARACTERS, maxBytes: 256 * 1024 * 1024 };
const PROGRESS_MS = 200;
/** Linux takes no argument of more than 128 KiB. */
const MAX_COMMAND_BYTES = 130_000;

const input = z.object({
  command: z.string().min(1).describe('Run by bash -c in the workspace root, with nothing on stdin'),
  timeout_seconds: z
    .number()
    .positive()
    .max(MAX_SECONDS)
    .optional()
    .describe(`${DEFAULT_SECONDS} by default; then the command and all it started is killed`),
});

/**
 * The tool that runs shell commands, starting in `root`. It is NOT confined to `root`, as no shell can be: it does
 * whatever the worker's user may do. Give it a container or a user of its own, and approvals where it matters.
 *
 * Output that is too long for the model is kept whole as an artifact; colours are left out of what the model is shown.
 * A command that fails or that times out is an ordinary result, which ends with how it ended. It gets the worker's
 * environment without what looks like a secret (see `childEnvironment`), and `environment` added. What it leaves in the
 * background goes on running after it; an interrupt or a timeout ends all of its process group.
 */
export function bashTool(
  root: string,
  environment: Readonly<Record<string, string>>,
): Tool<typeof input, string> {
  const shell = findShell(environment['PATH'] ?? process.env['PATH'] ?? '');
  return defineTool({
    name: 'bash',
    description:
      'Runs a shell command in the workspace and returns its output (stdout and stderr together) and its exit code. A background process (&) should write to a file.',
    input,
    timeout: `${MAX_SECONDS + 30} seconds`,
    parallel: false,
    subject: { argument: 'command', as: 'command' },
    run: async ({ command, timeout_seconds = DEFAULT_SECONDS }, context) => {
      refuseUnrunnable(command);
      const output = new CappedOutput(MAX_OUTPUT_CHARACTERS);
      const whole = new WholeOutput(KEPT);
      let shown = '';
      const progress = throttled(PROGRESS_MS, () => {
        const line = output.lastLine();
        if (line !== shown) context.progress(line);
        shown = line;
      });
      try {
        const end = await runCommand(
          {
            shell,
            text: command,
            folder: root,
            environment: childEnvironment(process.env, environment, context.idempotencyKey),
            timeoutMs: timeout_seconds * 1_000,
            onOutput: (bytes) => {
              output.add(bytes);
              whole.add(bytes);
              progress.call();
            },
          },
          context.signal,
        );
        const rest = output.isCut ? await keepWhole(whole, output.headBytes, context) : '';
        return resultText(stripVTControlCharacters(output.end(rest)), end, timeout_seconds);
      } finally {
        progress.stop();
        whole.close();
      }
    },
  });
}

/** Where the model finds what its result leaves out, in words. */
async function keepWhole(whole: WholeOutput, headBytes: number, context: ToolContext): Promise<string> {
  try {
    const hint = readRestHint(await context.saveArtifact(whole.source), headBytes);
    return whole.problem === undefined ? `; ${hint}` : `; ${whole.problem}; ${hint}`;
  } catch (error) {
    return `; they could not be kept: ${wireLine(errorText(error))}`;
  }
}

function refuseUnrunnable(command: string): void {
  if (command.includes('\0')) throw new Error('command contains a NUL byte.');
  const bytes = Buffer.byteLength(command);
  if (bytes <= MAX_COMMAND_BYTES) return;
  throw new Error(
    `command has ${bytes} bytes; at most ${MAX_COMMAND_BYTES} can be run. Write it to a file with write_file, and run that.`,
  );
}

function findShell(searchPath: string): string {
  for (const folder of searchPath.split(delimiter)) {
    const shell = join(folder, 'bash');
    if (folder !== '' && isExecutable(shell)) return shell;
  }
  return '/bin/sh';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function resultText(output: string, end: CommandEnd, timeoutSeconds: number): string {
  const separator = output === '' || output.endsWith('\n') ? '' : '\n';
  const note = end.outputOpen
    ? '[a background process still has the output open; what it writes from now on is not shown]\n'
    : '';
  return `${output}${separator}${note}[${endText(end, timeoutSeconds)}]`;
}

function endText(end: CommandEnd, timeoutSeconds: number): string {
  switch (end.type) {
    case 'exited':
      return `exit code ${end.code}`;
    case 'killed':
      return `killed by signal ${end.signal}`;
    case 'timed_out':
      return `timed out after ${timeoutSeconds} s; the process group was killed`;
    default:
      return end satisfies never;
  }
}
