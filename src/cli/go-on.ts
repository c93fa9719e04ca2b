import type { ExceededBudget } from '../shared/limits.js';
import type { OutcomeType } from '../shared/turn.js';
import { quoted } from './quoted.js';
import type { RunOptions } from './run-command.js';

type Limit = 'iterations' | 'tokens' | 'cost' | 'time';
const LIMITS: readonly Limit[] = ['iterations', 'tokens', 'cost', 'time'];

/**
 * The command that goes on where a limit has ended a turn: with all that guards it and says how it works, but for that limit,
 * which `ended` tells.
 */
export function howToGoOn(
  turnId: string,
  options: RunOptions,
  ended: { type: OutcomeType; exceeded?: ExceededBudget },
): string {
  const reached = limitIn(ended);
  const { workspace, model, mode, hooks, agentsFile = true } = options;
  const named = [
    ['--workspace', workspace === process.cwd() ? undefined : workspace],
    ['--model', model],
    ['--mode', mode],
    ['--hooks', hooks],
    ...LIMITS.map((limit) => [`--${limit}`, limit === reached ? undefined : options[limit]] as const),
    ['--continue', turnId],
  ] as const;
  const words = named.flatMap(([name, value]) => (value === undefined ? [] : [name, quoted(String(value))]));
  const command = ['holdfast run', ...(agentsFile ? [] : ['--no-agents-file']), ...words].join(' ');
  const isLeftOut = reached !== undefined && options[reached] !== undefined;
  const without = isLeftOut ? `, without --${reached} or with another one` : '';
  return `To go on where it stopped${without}: ${command}\n`;
}

function limitIn({ type, exceeded }: { type: OutcomeType; exceeded?: ExceededBudget }): Limit | undefined {
  if (type === 'max_iterations') return 'iterations';
  return LIMITS.find((limit) => limit === exceeded?.limit);
}
