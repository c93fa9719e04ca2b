import type { Command } from 'commander';
import { wholeNumber, wholeNumberFromZero } from './option-values.js';
import { addPeopleCommands } from './people/commands.js';

const NAMING = `A turn is named by its id, or by the beginning of it that no other turn has.`;

/** Declares the commands that look at turns and talk to them; each one's code is loaded when it is asked for. */
export function declareTurnCommands(program: Command): void {
  declarePs(program);
  declareShow(program);
  declareWatch(program);
  declareTranscript(program);
  declareArtifact(program);
  declareMessages(program);
  addPeopleCommands(program);
}

function declarePs(program: Command): void {
  program
    .command('ps')
    .description('List the turns that run, and those that have ended in the last 24 hours.')
    .option('-a, --all', 'all that the server keeps, however old')
    .option('--agent <name>', 'only those of one agent')
    .option('-n, --limit <count>', 'the most turns', wholeNumber, 20)
    .option('--json', 'print a line of JSON for each turn')
    .addHelpText(
      'after',
      `
CALLS counts the model calls that have answered. AGE is the time since the start of a running turn, and since the end
of one that has ended. On a terminal random ids are shortened; all commands take them so.

Examples:
  holdfast ps
  holdfast ps --all --agent support --limit 100
  holdfast ps --json | jq -r 'select(.status == "failed") | .turnId'`,
    )
    .action(async (options) => {
      const { psCommand } = await import('./ps-command.js');
      await psCommand(options);
    });
}

function declareShow(program: Command): void {
  program
    .command('show')
    .description('Show one turn: where it is, what it waits for, what it did and what it cost.')
    .argument('<turn>', 'its id, or the beginning of it')
    .option('--json', 'print it as one line of JSON')
    .addHelpText(
      'after',
      `
It reads the event history, so that it needs no worker. A worker of a running turn is asked too; where none answers,
the page says so.

Examples:
  holdfast show ticket-77
  holdfast show 3f2a
  holdfast show ticket-77 --json | jq .usage`,
    )
    .action(async (turn: string, options) => {
      const { showCommand } = await import('./show-command.js');
      await showCommand(turn, options);
    });
}

function declareWatch(program: Command): void {
  program
    .command('watch')
    .description('Attach to a turn and print what it does, to its end. Ctrl-C detaches; the turn goes on.')
    .argument('<turn>', 'its id, or the beginning of it')
    .option('--from <event>', 'begin after the event of that number; 0: from the start', wholeNumberFromZero)
    .option('--json', 'print each event, and last the outcome, as a line of JSON')
    .addHelpText(
      'after',
      `
Without --from it begins now; of a turn that has ended it prints the last reply and the end.

Examples:
  holdfast watch ticket-77
  holdfast watch ticket-77 --from 0
  holdfast watch ticket-77 --json | jq -c 'select(.type == "tool_finished")'

Exit codes: that of the outcome, as of holdfast run; 130 where you detached.`,
    )
    .action(async (turn: string, options) => {
      const { watchCommand } = await import('./watch-command.js');
      process.exitCode = await watchCommand(turn, options);
    });
}

function declareTranscript(program: Command): void {
  program
    .command('transcript')
    .description("Print a turn's messages as Markdown. Read from the event history: no worker is needed.")
    .argument('<turn>', 'its id, or the beginning of it')
    .option('--json', 'print the messages as a list in JSON, as `start` takes them for a next turn')
    .addHelpText(
      'after',
      `
What is encrypted is read with HOLDFAST_ENCRYPTION_KEYS.

Examples:
  holdfast transcript ticket-77 > ticket-77.md
  holdfast transcript ticket-77 --json | jq length`,
    )
    .action(async (turn: string, options) => {
      const { transcriptCommand } = await import('./transcript-command.js');
      await transcriptCommand(turn, options);
    });
}

function declareArtifact(program: Command): void {
  program
    .command('artifact')
    .description('List what the tools of a turn have given out by name, or fetch one of them.')
    .argument('<turn>', 'its id, or the beginning of it')
    .argument('[name]', 'which one; without it they are listed')
    .option('-o, --output <file>', 'where it goes; default: the standard output')
    .option('--json', 'print a line of JSON for each')
    .addHelpText(
      'after',
      `
It reads the artifact store of this machine: HOLDFAST_ARTIFACTS, or the folder where its workers keep them. What is
encrypted is read with HOLDFAST_ENCRYPTION_KEYS.

Examples:
  holdfast artifact ticket-77
  holdfast artifact ticket-77 chart.png --output chart.png
  holdfast artifact ticket-77 sales.csv | head

Exit codes: 0 done, 1 there is none of that name or the store lacks it, 2 wrong usage.`,
    )
    .action(async (turn: string, name: string | undefined, options) => {
      const { artifactCommand } = await import('./artifact-command.js');
      process.exitCode = await artifactCommand(turn, name, options);
    });
}

function declareMessages(program: Command): void {
  const send = async (kind: 'interrupt' | 'stop' | 'steer', turn: string, text: string | undefined) => {
    const { sendCommand } = await import('./send-command.js');
    process.exitCode = await sendCommand(kind, turn, text);
  };
  const declare = (
    kind: 'interrupt' | 'stop' | 'steer',
    description: string,
    text: string,
    example: string,
  ) =>
    program
      .command(kind)
      .description(description)
      .argument('<turn>', 'its id, or the beginning of it')
      .argument(text, kind === 'steer' ? 'what to tell it' : 'why, for the record')
      .addHelpText(
        'after',
        `
${NAMING}

Example:
  ${example}

Exit codes: 0 sent, 1 the turn had ended or was not found, 2 wrong usage.`,
      )
      .action((turn: string, said: string | undefined) => send(kind, turn, said));
  declare(
    'interrupt',
    'End a turn now: what runs is canceled, and each tool call gets its result.',
    '[reason]',
    'holdfast interrupt ticket-77 "the customer left"',
  );
  declare(
    'stop',
    'End a turn after what runs: no tool and no model call starts any more.',
    '[reason]',
    'holdfast stop ticket-77 "the shift ends"',
  );
  declare(
    'steer',
    'Send a message into a running turn, before its next model call.',
    '<message>',
    'holdfast steer ticket-77 "the order is W2378156"',
  );
}
