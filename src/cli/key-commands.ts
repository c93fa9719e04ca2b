import type { Command } from 'commander';
import { portNumber } from './option-values.js';

/** Declares the commands about encryption keys; each one's code is loaded when it is asked for. */
export function declareKeyCommands(program: Command): void {
  declareCodecServer(program);
  declareKeygen(program);
}

function declareCodecServer(program: Command): void {
  program
    .command('codec-server')
    .description("Show the Web UI and the temporal program what is encrypted: Temporal's remote codec.")
    .option('-p, --port <port>', 'on 127.0.0.1', portNumber, 8888)
    .option('-o, --origin <url...>', "the Web UI's address; default: the embedded server's")
    .option('--token <token>', 'ask for this bearer token; default: HOLDFAST_CODEC_TOKEN, else none')
    .addHelpText(
      'after',
      `
Whoever can reach it reads what the keys of HOLDFAST_ENCRYPTION_KEYS open. See docs/encryption.md.

Examples:
  export HOLDFAST_ENCRYPTION_KEYS=$(holdfast keygen)
  holdfast codec-server
  holdfast codec-server --port 9000 --origin https://temporal.example.com
  temporal workflow show -w TURN --codec-endpoint http://localhost:8888`,
    )
    .action(async (options) => {
      const { codecServerCommand } = await import('./codec-server-command.js');
      await codecServerCommand(options);
    });
}

function declareKeygen(program: Command): void {
  program
    .command('keygen')
    .description('Print a new encryption key, as HOLDFAST_ENCRYPTION_KEYS takes it.')
    .argument('[id]', 'names the key; letters, digits and . _ -; default: a random one')
    .addHelpText(
      'after',
      `
Examples:
  export HOLDFAST_ENCRYPTION_KEYS=$(holdfast keygen)
  export HOLDFAST_ENCRYPTION_KEYS=$(holdfast keygen 2027-01),$HOLDFAST_ENCRYPTION_KEYS   # the first one encrypts`,
    )
    .action(async (id: string | undefined) => {
      const { keygenCommand } = await import('./keygen-command.js');
      keygenCommand(id);
    });
}
