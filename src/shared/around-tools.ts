import { CHECK_CALL, KEEP_RESULT, RECONCILE_TOOL } from './activities.js';
import type { ToolResultBlock } from './messages.js';
import { resultOfCheck } from './remote-tools.js';
import type { ToolEnd } from './settle.js';
import { workerLost } from './tool-results.js';

/** Whether an activity is not a tool's, but done before or after one. */
export function isAroundTool(activityType: string): boolean {
  return [RECONCILE_TOOL, CHECK_CALL, KEEP_RESULT].includes(activityType);
}

/** Of such an activity: the result that its end gives a call, or none. `otherwise`: what the call has without it. */
export function resultAround(
  activityType: string,
  call: { id: string; name: string },
  end: ToolEnd,
  otherwise: ToolResultBlock = workerLost(call),
): ToolResultBlock | undefined {
  if (activityType === CHECK_CALL) return resultOfCheck(call, end);
  return end.kind === 'completed' ? end.output.result : otherwise;
}
