import type { StopReason } from '../../shared/messages.js';
import type { ModelFailureType } from './model-failure.js';

/** Nothing more may come, but not all has. */
const CUT = ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'model_context_window_exceeded'];
const REFUSED = [
  'content_filter',
  'refusal',
  'safety',
  'sensitive',
  'recitation',
  'blocklist',
  'prohibited_content',
  'spii',
];

/** Some gateways have no other way to tell of a fault in the middle of a reply. */
const faults: Readonly<Record<string, ModelFailureType>> = {
  error: 'Model.Unavailable',
  network_error: 'Model.Unavailable',
  insufficient_system_resource: 'Model.Overloaded',
  abort: 'Model.StreamCut',
};

/**
 * What the model meant, from the wire's finish reason. Whether there are calls counts for more than the word:
 * gateways say `stop` or words of their own for replies with calls, and `tool_calls` for replies without.
 */
export function toStopReason(finish: string | null, hasCalls: boolean): StopReason {
  const word = finish?.toLowerCase() ?? '';
  if (CUT.includes(word)) return 'max_tokens';
  if (REFUSED.includes(word)) return 'refusal';
  return hasCalls ? 'tool_use' : 'end_turn';
}

/** The finish reason says that tools are to be run. */
export function announcesCalls(finish: string | null): boolean {
  return ['tool_calls', 'function_call', 'tool_use'].includes(finish?.toLowerCase() ?? '');
}

/** The fault that a finish reason stands for, if it does. */
export function faultOfFinish(finish: string | null): ModelFailureType | undefined {
  const word = finish?.toLowerCase() ?? '';
  return Object.hasOwn(faults, word) ? faults[word] : undefined;
}
