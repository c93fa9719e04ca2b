import {
  AFTER_CALL,
  AFTER_TURN,
  type AfterCallInput,
  type AfterCallResult,
  withHookNote,
} from '../shared/hooks.js';
import type { ToolResultBlock } from '../shared/messages.js';
import type { RecordedStep } from '../shared/recorded-step.js';

type HookedStep = Omit<Extract<RecordedStep, { kind: 'hooked' }>, 'at'>;

/** Whether an activity of that type does nothing but call hooks. */
export function isOfHooks(type: string): boolean {
  return type === AFTER_TURN || type === AFTER_CALL;
}

/** `output`: what the activity gave, if anything. Without it the result that it was to look at stays as it was. */
export function hookedStep({ type, input }: { type: string; input: unknown }, output: unknown): HookedStep {
  const told = output as Partial<AfterCallResult> | undefined;
  const result = type === AFTER_CALL ? (told?.result ?? unhooked(input as AfterCallInput)) : undefined;
  return { kind: 'hooked', hooks: told?.hooks ?? [], ...(result && { result }) };
}

function unhooked(input: AfterCallInput): ToolResultBlock {
  return withHookNote(input, input.result);
}
