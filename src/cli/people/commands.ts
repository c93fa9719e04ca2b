import type { Command } from 'commander';

// Each command's code is loaded when it is asked for.

/** The commands by which people decide what turns wait for. */
export function addPeopleCommands(program: Command): void {
  program
    .command('approvals')
    .description('List what running turns wait for: approvals of calls, and questions.')
    .argument('[turn]', 'only this turn, with the arguments of its calls in full')
    .option('--json', 'print each as a line of JSON')
    .action(async (turn: string | undefined, options) => {
      const { approvalsCommand } = await import('./approvals-command.js');
      await approvalsCommand(turn, options);
    });

  program
    .command('approve')
    .description('Let a call run that waits for an approval: exactly as it was asked, once.')
    .argument('<turn>', "the turn's id")
    .argument('[call]', "the call's id; not needed where only one waits")
    .option('-r, --reason <text>', 'for the record')
    .option('--always', 'allow the same for the rest of the turn')
    .option('--arguments <json>', 'run it with these arguments in place of the model’s')
    .addHelpText(
      'after',
      `
Examples:
  holdfast approvals
  holdfast approve ticket-77
  holdfast approve ticket-77 call_9f --reason "checked by phone"
  holdfast approve ticket-77 call_9f --arguments '{"orderId":"W1","cents":500}'

Exit codes: 0 it counts, or is kept until a worker takes it; 1 it came too late; 2 wrong usage.`,
    )
    .action(async (turn: string, call: string | undefined, options) => {
      const { approveCommand } = await import('./decide-commands.js');
      process.exitCode = await approveCommand(turn, call, options);
    });

  program
    .command('deny')
    .description('Do not let a call run; the model reads the reason, and goes on.')
    .argument('<turn>', "the turn's id")
    .argument('[call]', "the call's id; not needed where only one waits")
    .option('-r, --reason <text>', 'the model reads it')
    .action(async (turn: string, call: string | undefined, options) => {
      const { denyCommand } = await import('./decide-commands.js');
      process.exitCode = await denyCommand(turn, call, options);
    });

  program
    .command('answer')
    .description('Answer a question that a turn waits with.')
    .argument('<turn>', "the turn's id")
    .argument('<text>', 'the answer')
    .option('-c, --call <call>', "the call's id; not needed where only one question waits")
    .action(async (turn: string, text: string, options) => {
      const { answerCommand } = await import('./decide-commands.js');
      process.exitCode = await answerCommand(turn, text, options);
    });
}
