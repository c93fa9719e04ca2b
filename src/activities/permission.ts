import type { Agent, AnyTool } from '../define/define-agent.js';
import { type Decision, decide, deniedNow } from '../permissions/decide.js';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';
import { type PermissionRules, PRESENT_PLAN, type TurnPermissions } from '../shared/permissions.js';

/**
 * What is to be done with a call of these arguments, which fit the tool's schema; undefined where nobody has set anything
 * up. Throws what the tool's `approval` throws.
 */
export async function permissionOf(
  agent: Agent,
  tool: AnyTool,
  input: Json,
  turn: TurnPermissions | undefined,
  above: PermissionRules | undefined,
): Promise<Decision | undefined> {
  if (tool.name === PRESENT_PLAN) return { policy: 'ask', why: 'the mode plan', always: [], mode: 'default' };
  if (!agent.permissions && !turn && !above && tool.approval === undefined) return undefined;
  return await decide(await judgedCall(tool, input), agent.permissions, turn, above);
}

/**
 * Why a call that was allowed before must not run after all: somebody has changed its arguments, or what its path leads
 * to is another place by now. `isChanged` also asks the tool's own `approval`.
 */
export async function denialAtRun(
  agent: Agent,
  tool: AnyTool,
  input: Json,
  isChanged: boolean,
  above: PermissionRules | undefined,
): Promise<string | undefined> {
  if (!isChanged && !agent.permissions?.deny.length && !above?.deny.length) return undefined;
  const call = await judgedCall(tool, input);
  if (!isChanged) return await deniedNow(call, agent.permissions, above);
  const yolo = { mode: 'yolo' } as const;
  const own = agent.permissions && { ...agent.permissions, ...yolo };
  const decision = await decide(call, own, {}, above && { ...above, ...yolo });
  return decision?.policy === 'deny' ? decision.why : undefined;
}

async function judgedCall(tool: AnyTool, input: Json) {
  const object: JsonObject = isJsonObject(input) ? input : {};
  if (typeof tool.approval !== 'function') return { tool, input: object };
  const args: unknown = await tool.input.parseAsync(object);
  return { tool, input: object, args };
}
