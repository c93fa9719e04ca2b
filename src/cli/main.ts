#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { PERMISSION_MODES } from '../shared/permissions.js';
import { EXIT_USAGE } from './exit-codes.js';
import { declareKeyCommands } from './key-commands.js';
import { amount, collected, durationText, wholeNumber } from './option-values.js';
import { declareTurnCommands } from './turn-commands.js';
import { leaveWithReader } from './unread.js';

// Each command's code is loaded when it is asked for: `--help` loads no worker.

function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

const program = new Command('holdfast')
  .version(packageVersion())
  .description('Durable agent turns on Temporal: kill any process at any instant, and the turn goes on.')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE));

program
  .command('run')
  .description('Run one turn of the coding agent on a folder and watch it.')
  .argument('[prompt]', 'what the agent is to do')
  .option('-w, --workspace <folder>', 'the folder that it works in', process.cwd())
  .option('-m, --model <name>', 'the model; default: OPENAI_MODEL, else gpt-5.5')
  .option('-n, --iterations <count>', 'the most model calls; default 199', wholeNumber)
  .option('--tokens <count>', 'the most tokens, read and written', wholeNumber)
  .option('--cost <usd>', 'the most that it may cost, in US dollars; the model needs a price', amount)
  .option('--time <duration>', "how long it may work, as '10 minutes'", durationText)
  .option('--continue <turn>', 'go on where that turn has ended, with its transcript')
  .addOption(new Option('--mode <mode>', 'which calls a person is asked about').choices(PERMISSION_MODES))
  .option('-a, --attach <file>', 'show the model an image, a PDF or a text; may be repeated', collected)
  .option('--no-agents-file', "don't tell it what the folder's AGENTS.md says")
  .option('--hooks <file>', 'run the hooks of a settings file, such as .claude/settings.json')
  .option('--turn-id <id>', 'names the turn: the same id and prompt again go on with it')
  .option('--json', 'print each event, and last the outcome, as a line of JSON')
  .addHelpText(
    'after',
    `
Examples:
  holdfast run "Which source file is the largest, and what does it do?"
  holdfast run --workspace ../shop --iterations 20 "Make the failing test pass"
  holdfast run --attach screenshot.png --attach spec.pdf "Make the page look like this"
  holdfast run --json "List the TODOs" | tail -1
  holdfast run --mode plan "Add a dark mode"
  holdfast run --cost 2 --time '30 minutes' "Write the missing tests"
  holdfast run --continue 3f2a "Now run them"
  holdfast run --hooks .claude/settings.json "Mend the build"

With --mode a person is asked before anything is changed, here or by
holdfast approvals: see docs/approvals.md.
HOLDFAST_PRICES, a table of prices as JSON, lets it tell what the turn cost: see
docs/models.md.

Exit codes: 0 completed, 1 failed, 2 wrong usage, 3 iteration limit, 4 refused,
5 truncated, 6 no valid output, 7 a limit of tokens, costs or time, 8 the same calls
again and again, 130 interrupted. After 3, 7 and 8 it says how to go on.`,
  )
  .action(async (prompt: string | undefined, options) => {
    const { StopSignals } = await import('./stop-signals.js');
    const signals = new StopSignals();
    const { runCommand } = await import('./run-command.js');
    process.exitCode = await runCommand(prompt, options, signals);
  });

program
  .command('worker')
  .description(
    'Serve the agents that a module exports, with a spare process that takes over when this one dies.',
  )
  .argument('<module>', 'a JavaScript module, such as dist/agent.js')
  .option('-q, --task-queue <name>', 'default: holdfast')
  .option(
    '--hooks <file>',
    'run the hooks of a settings file, such as .claude/settings.json, for all its agents',
  )
  .addHelpText(
    'after',
    `
The module exports what defineAgent(...) returns, alone or in a list. SIGTERM and Ctrl-C let what runs finish; a second
Ctrl-C leaves at once, and the turns go on in another worker.

Examples:
  holdfast worker dist/agent.js
  TEMPORAL_ADDRESS=temporal.example.com:7233 holdfast worker dist/agent.js --task-queue payments

Exit codes: 0 ended when it was told to, 1 it could not start, 2 wrong usage.`,
  )
  .action(async (module: string, options) => {
    const { workerCommand } = await import('./worker-command.js');
    process.exitCode = await workerCommand(module, options);
  });

program
  .command('init')
  .description('Write a small project: an agent, a tool, a test. It runs at once, without a key.')
  .argument('<folder>', "a new or empty folder; its name becomes the agent's")
  .option(
    '--holdfast <spec>',
    'what it installs as holdfast, such as a .tgz of npm pack; default: this version',
  )
  .addHelpText(
    'after',
    `
Examples:
  npx holdfast init my-agent && cd my-agent && npm install && npm start
  holdfast init my-agent --holdfast file:../holdfast-0.1.0.tgz`,
  )
  .action(async (folder: string, options) => {
    const { initCommand } = await import('./init-command.js');
    await initCommand(folder, options);
  });

const server = program
  .command('server')
  .description('The Temporal server that Holdfast starts where none is found.')
  .addHelpText(
    'after',
    `
HOLDFAST_PORT and HOLDFAST_UI_PORT choose its ports, HOLDFAST_STATE_DIR where its data are. Where TEMPORAL_ADDRESS is
set, that server is used, and none is started.

Examples:
  holdfast server start
  HOLDFAST_PORT=7333 holdfast server start
  holdfast server status && echo it runs`,
  );
server
  .command('start')
  .description('Start it, if none answers; it goes on in the background.')
  .action(async () => {
    const { startServerCommand } = await import('./server-command.js');
    await startServerCommand();
  });
server
  .command('status')
  .description('Say where it is.')
  .action(async () => {
    const { serverStatusCommand } = await import('./server-command.js');
    process.exitCode = await serverStatusCommand();
  });
server
  .command('stop')
  .description('Stop it. Its turns stay on disk and go on when it is started again.')
  .action(async () => {
    const { stopServerCommand } = await import('./server-command.js');
    await stopServerCommand();
  });

declareTurnCommands(program);

declareKeyCommands(program);

program
  .command('doctor')
  .description('Check what agents need, and say what works and what to do.')
  .option(
    '-m, --model [name]',
    'try out the model of OPENAI_BASE_URL and OPENAI_API_KEY, default OPENAI_MODEL',
  )
  .option('--base-url <url>', 'in place of OPENAI_BASE_URL')
  .addOption(new Option('--api <api>', 'which API to use').choices(['chat', 'responses']).default('chat'))
  .option('--timeout <seconds>', 'the most that one request may take', wholeNumber, 60)
  .option('-q, --task-queue <name>', 'whose workers to look for; default: holdfast')
  .option('--json', 'print the report as one line of JSON')
  .option('--server-speed', 'in place of the model: how fast the Temporal server is, and what to set in it')
  .addHelpText(
    'after',
    `
Without --model it looks at this machine, Temporal, its workers and the model's address, and nothing of it costs
anything. With --model or --base-url it tries out the model alone: five tiny requests, which cost what they cost there.
The key is never printed.

Examples:
  holdfast doctor
  holdfast doctor --task-queue payments
  holdfast doctor --model
  holdfast doctor --model qwen3 --base-url http://localhost:11434/v1
  holdfast doctor --model --json
  holdfast doctor --server-speed

Exit codes: 0 nothing failed, 1 something did, 2 wrong usage.`,
  )
  .action(async (options) => {
    if (options.serverSpeed) {
      const { serverSpeedCommand } = await import('./doctor/server-speed-command.js');
      process.exitCode = await serverSpeedCommand(options);
      return;
    }
    const { doctorCommand } = await import('./doctor-command.js');
    process.exitCode = await doctorCommand(options);
  });

program
  .command('completion')
  .description('Print the script by which a shell completes commands, options and turn ids.')
  .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
  .addHelpText(
    'after',
    `
Examples, for the file that your shell reads at its start:
  source <(holdfast completion bash)        # ~/.bashrc
  source <(holdfast completion zsh)         # ~/.zshrc, after compinit
  holdfast completion fish | source         # ~/.config/fish/config.fish`,
  )
  .action(async (shell: string) => {
    const { completionCommand } = await import('./completion-command.js');
    completionCommand(shell);
  });

program
  .command('__complete', { hidden: true })
  .argument('[words...]')
  .action(async (typed: string[]) => {
    const { completeCommand } = await import('./complete-command.js');
    await completeCommand(program, typed);
  });

leaveWithReader();
try {
  await program.parseAsync();
} catch (error) {
  const { reportError } = await import('./report-error.js');
  // A connection that is still being tried must not keep the process.
  process.exit(reportError(error));
}
