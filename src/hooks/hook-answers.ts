import type { ToolCallDecision, ToolResultChange } from '../define/hooks.js';
import { isJsonObject, type JsonObject, parseJson } from '../shared/json.js';
import type { HookCommandEnd } from './hook-command.js';

/** Of what a command has said: what is to happen, and what is only to be recorded. */
export type Answer<Decision> = { decision?: Decision; note?: string };

const BLOCKS = 2;

/** Exit code 2 blocks, with stderr as the reason; 0 may say more in JSON; any other lets the call go on. */
export function answerBefore(command: string, end: HookCommandEnd): Answer<ToolCallDecision> {
  if (end.code === BLOCKS) return { decision: { block: end.stderr.trim() || `${command} gave no reason` } };
  const { said, specific, note } = read(command, end);
  const noted = note === undefined ? {} : { note };
  const reason = textOf(specific['permissionDecisionReason']) ?? textOf(said['reason']) ?? '';
  const permission = specific['permissionDecision'];
  if (permission === 'deny' || said['decision'] === 'block' || said['decision'] === 'deny')
    return { ...noted, decision: { block: reason } };
  if (said['continue'] === false)
    return { ...noted, decision: { block: textOf(said['stopReason']) ?? reason } };
  const updated = specific['updatedInput'];
  const ask = permission === 'ask' ? { ask: reason } : {};
  if (isJsonObject(updated)) return { ...noted, decision: { arguments: updated, ...ask } };
  return { ...noted, ...(ask.ask !== undefined && { decision: { ask: ask.ask } }) };
}

/** Exit code 2, and a `decision` to block, tell the model; the call has run. */
export function answerAfter(command: string, end: HookCommandEnd): Answer<ToolResultChange> {
  if (end.code === BLOCKS) return { decision: { append: told(end.stderr.trim()) } };
  const { said, specific, note } = read(command, end);
  const isBlocked = said['decision'] === 'block' || said['continue'] === false;
  const texts = [
    ...(isBlocked ? [textOf(said['reason']) ?? textOf(said['stopReason']) ?? ''] : []),
    textOf(specific['additionalContext']) ?? '',
  ].filter((text) => text.trim() !== '');
  const result = specific['updatedToolOutput'] ?? specific['updatedMCPToolOutput'];
  const change: ToolResultChange = {
    ...(result !== undefined && result !== null && { result: textOf(result) ?? JSON.stringify(result) }),
    ...(texts.length > 0 && { append: told(texts.join('\n')) }),
  };
  return {
    ...(Object.keys(change).length > 0 && { decision: change }),
    ...(note !== undefined && { note }),
  };
}

/** A turn that has ended has ended. */
export function noteAtEnd(command: string, end: HookCommandEnd): string | undefined {
  const { said, note } = read(command, end);
  if (end.code !== BLOCKS && said['decision'] !== 'block') return note;
  return `${command} wants the turn to go on, which a hook can't do here`;
}

function read(
  command: string,
  end: HookCommandEnd,
): { said: JsonObject; specific: JsonObject; note?: string } {
  if (end.code !== 0)
    return { said: {}, specific: {}, note: `${command} exited with ${end.code}: ${end.stderr.trim()}` };
  const text = end.stdout.trim();
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  if (json?.ok === false)
    return { said: {}, specific: {}, note: `${command} wrote broken JSON (${json.problem})` };
  const said = json && isJsonObject(json.value) ? json.value : {};
  const specific = isJsonObject(said['hookSpecificOutput']) ? said['hookSpecificOutput'] : {};
  const message = textOf(said['systemMessage']);
  return { said, specific, ...(message !== undefined && { note: message }) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function told(text: string): string {
  return `\n[A hook says: ${text || 'this is not as it should be'}]`;
}
