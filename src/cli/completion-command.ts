import { bashCompletion } from './completion/bash.js';
import { fishCompletion } from './completion/fish.js';
import { zshCompletion } from './completion/zsh.js';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `holdfast completion`: the script that a shell loads. */
export function completionCommand(shell: string): void {
  process.stdout.write(scripts[shell as keyof typeof scripts]);
}
