import { type Command, Option } from 'commander';
import { PERMISSION_MODES } from '../shared/permissions.js';
import { amount, durationText, wholeNumber } from './option-values.js';

/** Declares `chat` and the commands about sessions; each one's code is loaded when it is asked for. */
export function declareSessionCommands(program: Command): void {
  declareChat(program);
  declareSessions(program);
  declareSession(program);
}

function declareChat(program: Command): void {
  program
    .command('chat')
    .description('A conversation in the terminal that lasts: come back to it after days, from anywhere.')
    .argument('[session]', 'its id, or the beginning of it; a new name begins a new one')
    .option('-c, --continue', 'the session that was used last')
    .option('-w, --workspace <folder>', 'of a new one with the coding agent: where that works; default: here')
    .option('--agent <name>', "who answers; default: the coding agent, or that of the session's beginning")
    .option('-q, --task-queue <name>', 'of a new one: whose workers serve the agent; default: holdfast')
    .option('--module <file>', 'serve the agents of this module, where no worker does')
    .option('-m, --model <name>', 'the model; default: OPENAI_MODEL, else gpt-5.5')
    .option('-n, --iterations <count>', 'the most model calls of a turn', wholeNumber)
    .option('--tokens <count>', 'the most tokens of a turn', wholeNumber)
    .option('--cost <usd>', 'the most that a turn may cost; the model needs a price', amount)
    .option('--time <duration>', "how long a turn may work, as '10 minutes'", durationText)
    .addOption(new Option('--mode <mode>', 'which calls you are asked about').choices(PERMISSION_MODES))
    .option('--hooks <file>', 'a settings file whose hooks run, too')
    .option('--no-agents-file', 'leave AGENTS.md of the folder alone')
    .option('--json', 'print each event, and the outcome of each turn, as a line of JSON')
    .addHelpText(
      'after',
      `
What you type while a turn runs joins it before its next model call. /queue TEXT makes it the next turn, /replace TEXT
interrupts what runs. Ctrl-C interrupts, twice leaves; Ctrl-D leaves. /help lists the rest.
Lines from a pipe are messages, one after the other; then the exit code is the last turn's, as of holdfast run.

Examples:
  holdfast chat
  holdfast chat shop-prices --workspace ../shop --mode default
  holdfast chat --continue
  holdfast chat --agent support --module dist/agent.js
  printf 'Run the tests.\\nMend what fails.\\n' | holdfast chat --json`,
    )
    .action(async (session: string | undefined, options) => {
      const { chatCommand } = await import('./chat/chat-command.js');
      process.exit(await chatCommand(session, options));
    });
}

function declareSessions(program: Command): void {
  program
    .command('sessions')
    .description('List the conversations that go on, the latest used first.')
    .option('-a, --all', 'also those that have ended')
    .option('-n, --limit <count>', 'the most sessions', wholeNumber, 20)
    .option('--json', 'print a line of JSON for each')
    .action(async (options) => {
      const { sessionsCommand } = await import('./sessions/sessions-command.js');
      await sessionsCommand(options);
    });
}

function declareSession(program: Command): void {
  const session = program.command('session').description('What scripts do with one session.');
  session
    .command('show')
    .description('Show where it is and what it has cost.')
    .argument('<session>', 'its id, or the beginning of it')
    .option('--json', 'print it as one line of JSON')
    .action(async (name: string, options) => {
      const { sessionShowCommand } = await import('./sessions/session-command.js');
      await sessionShowCommand(name, options);
    });
  session
    .command('transcript')
    .description('Print its messages as Markdown.')
    .argument('<session>', 'its id, or the beginning of it')
    .option('--json', 'print them as a list in JSON')
    .action(async (name: string, options) => {
      const { sessionTranscriptCommand } = await import('./sessions/session-command.js');
      await sessionTranscriptCommand(name, options);
    });
  session
    .command('fork')
    .description('Begin a new session with its messages, and print its id.')
    .argument('<session>', 'its id, or the beginning of it')
    .option('--before <message>', 'with those before this message')
    .option('--up-to <message>', 'with those up to this message')
    .option('--id <id>', "the new session's id; default: a random one")
    .option('--title <title>', "default: the session's")
    .action(async (name: string, options) => {
      const { sessionForkCommand } = await import('./sessions/session-command.js');
      await sessionForkCommand(name, options);
    });
  session
    .command('close')
    .description('Take no more messages; it ends after what runs and waits.')
    .argument('<session>', 'its id, or the beginning of it')
    .action(async (name: string) => {
      const { sessionCloseCommand } = await import('./sessions/session-command.js');
      await sessionCloseCommand(name);
    });
}
