import { Context } from '@temporalio/activity';
import type { CheckedCall, KeepResultInput, RunToolInput, RunToolResult } from '../shared/activities.js';
import { withNote } from '../shared/changed-note.js';
import { tooLongForRemote } from '../shared/remote-tools.js';
import { MAX_ARGUMENT_BYTES } from './big-arguments.js';
import { checkedCall } from './check-again.js';
import { beatWhile } from './heartbeats.js';
import { requireTool } from './not-here.js';
import { resultWithImages } from './result-images.js';
import type { ActivityServices } from './services.js';

// What another worker can't do for a remote tool's call.

/** Checks the arguments that a person has put in the place of the model's, as a tool of ours does before it runs. */
export async function checkCall({ agents }: ActivityServices, input: RunToolInput): Promise<CheckedCall> {
  const { agent, tool } = requireTool(agents, input);
  const called = { id: input.callId, name: input.tool };
  const bytes = Buffer.byteLength(JSON.stringify(input.input));
  if (bytes > MAX_ARGUMENT_BYTES) return { v: 1, result: tooLongForRemote(called, bytes) };
  return await checkedCall(agent, tool, input);
}

/** Makes the result of what the tool returned as that of a tool of ours: with images, and the whole as an artifact. */
export async function keepResult(
  { artifacts }: ActivityServices,
  { returned, ...input }: KeepResultInput,
): Promise<RunToolResult> {
  const { callId, tool, maxResultBytes, maxImageBytes } = input;
  const bounds = { maxResultBytes, maxImageBytes };
  return await beatWhile(Context.current(), { details: () => undefined }, async () => {
    const content = await resultWithImages(callId, returned, artifacts, undefined, bounds);
    const result = { type: 'tool_result' as const, callId, name: tool, status: 'ok' as const, ...content };
    return { v: 1, result: withNote(input, result) };
  });
}
