import { Context } from '@temporalio/activity';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { AnyTool } from '../define/define-agent.js';
import { notDone } from '../define/define-tool.js';
import { runnableMcpTool } from '../mcp/mcp-tool.js';
import type { RunToolInput, RunToolResult } from '../shared/activities.js';
import { withNote } from '../shared/changed-note.js';
import type { ToolHeartbeat } from '../shared/heartbeats.js';
import { withHookNote } from '../shared/hooks.js';
import { didNotHappen, workerLost } from '../shared/tool-results.js';
import { withWholeInput } from './big-arguments.js';
import { checkedAgain } from './check-again.js';
import { hooksIn } from './ended-hooks.js';
import { beatWhile } from './heartbeats.js';
import { holdingArtifacts, requireArtifacts } from './held-artifacts.js';
import { requireTool, toolNotHere } from './not-here.js';
import { afterToolCall } from './result-hooks.js';
import type { ActivityServices } from './services.js';
import { ToolExecution } from './tool-execution.js';

/**
 * The activity of every tool call. An ordinary fault of the tool is a result, which the model reads; only what the
 * tool marks `retryable`, or a worker that lacks it, is tried again by Temporal.
 */
export async function runTool(services: ActivityServices, input: RunToolInput): Promise<RunToolResult> {
  const { agents, artifacts, interrupts, setups } = services;
  const context = Context.current();
  const agent = agents.find(input.agent, input.version);
  const tool = toolOf(services, input);
  if (!agent || !tool) throw toolNotHere(agents, input);
  const allowed = await checkedAgain(agent, tool, await inputOf(context, input, artifacts));
  if ('status' in allowed) return { v: 1, result: allowed };
  return await interrupts.during(context, async (interrupted) => {
    const execution = new ToolExecution(context, tool, allowed, artifacts, interrupted);
    const notSetUp = await execution.setUp(setups);
    if (notSetUp) return execution.tellsOf(notSetUp);
    const work = async () => {
      const ran = await execution.run();
      const hooks = hooksIn(context, agent, input, interrupted, context.cancellationSignal);
      const result = await afterToolCall(hooks, artifacts, allowed, ran);
      const told = withHookNote(allowed, withNote(allowed, result));
      return { ...execution.tellsOf(told), ...hooks.told };
    };
    // Nobody hears the heartbeats of a local activity.
    if (context.info.isLocal) return await work();
    if (!tool.idempotent) await execution.recordBegun();
    return await execution.beating(work);
  });
}

/** Asked after a crash in the middle of a tool: what the tool finds out becomes the result of the call. */
export async function reconcileTool(
  { agents, artifacts, setups }: ActivityServices,
  input: RunToolInput,
): Promise<RunToolResult> {
  const context = Context.current();
  const { agent, tool } = requireTool(agents, input);
  const called = { id: input.callId, name: input.tool };
  const whole = await inputOf(context, input, artifacts);
  const execution = new ToolExecution(context, tool, whole, artifacts, context.cancellationSignal);
  return await execution.beating(async () => {
    if (!tool.reconcile) return { v: 1, result: workerLost(called) };
    const setup = await setups.of(tool, context.cancellationSignal);
    const found: unknown = await holdingArtifacts(artifacts, whole.artifacts, async (reading) => {
      const args: unknown = await reading(() => tool.input.parseAsync(whole.input));
      return await tool.reconcile?.(execution.idempotencyKey, args, { setup });
    });
    if (found === notDone) return { v: 1, result: didNotHappen(called) };
    const hooks = hooksIn(context, agent, input, context.cancellationSignal);
    const result = await afterToolCall(hooks, artifacts, whole, await execution.ok(found));
    return { v: 1, result: withHookNote(whole, result), ...hooks.told };
  });
}

/** Beats as the try before did, or as one that has not begun. */
async function inputOf(context: Context, input: RunToolInput, artifacts: Artifacts): Promise<RunToolInput> {
  if (!input.artifacts && !input.inputArtifact) return input;
  const before: ToolHeartbeat | undefined = context.info.heartbeatDetails;
  const attempt = context.info.attempt + (input.triesBefore ?? 0);
  const details = (): ToolHeartbeat => ({ v: 1, kind: 'tool', begun: false, ...before, attempt });
  return await beatWhile(context, { details }, async () => {
    await requireArtifacts(artifacts, input.artifacts);
    return await withWholeInput(input, artifacts);
  });
}

function toolOf({ agents, mcp }: ActivityServices, input: RunToolInput): AnyTool | undefined {
  if (!input.mcp) return agents.findTool(input.agent, input.version, input.tool);
  const agent = agents.find(input.agent, input.version);
  const connection = agent && mcp.of(agent, input.mcp.server);
  return connection && runnableMcpTool(input, connection);
}
