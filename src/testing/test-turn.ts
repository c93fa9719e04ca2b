import { Worker } from '@temporalio/worker';
import type { StartOptions } from '../client/agent-client.js';
import { TurnFailed } from '../client/errors.js';
import type { FinishedTurn } from '../client/finished-turn.js';
import { dataConverter } from '../codec/data-converter.js';
import type { Agent } from '../define/define-agent.js';
import type { Message, ToolCallBlock, ToolResultBlock } from '../shared/messages.js';
import { toolCallsOf } from '../shared/messages.js';
import type { Model } from '../shared/model-port.js';
import type { PromptPart } from '../shared/prompt-parts.js';
import { workflowBundlePath } from '../worker/bundle-path.js';
import { holdfastSinks } from '../worker/sinks.js';
import { type StandIn, standIn } from './stand-in.js';
import { testPlace, withWorker } from './test-environment.js';

export type TestTurnOptions = Omit<StartOptions, 'model'> & {
  /** In place of the agent's own; usually a scripted one. */
  model?: Model;
} & StandIn;

export type TestedTurn<Output = unknown> = {
  outcome: FinishedTurn<Output>;
  /** Each tool call with its result, in order. */
  calls: { call: ToolCallBlock; result: ToolResultBlock }[];
  transcript: Message[];
};

/**
 * Runs one turn on a real Temporal server, with a worker of its own, and replays its history (and those of its
 * sub-agents' turns, which keep their own models) before it returns, so
 * that a workflow which is not deterministic fails the test. Throws what `result()` throws.
 */
export async function testTurn<Output>(
  agent: Agent<Output>,
  prompt: string | readonly PromptPart[],
  { model, approve, answer, ...options }: TestTurnOptions = {},
): Promise<TestedTurn<Output>> {
  const tested = model ? { ...agent, model } : agent;
  return await withWorker(tested, async ({ start }) => {
    const turn = await start(prompt, options);
    const { mode } = options;
    const people = {
      ...(approve && { approve }),
      ...(answer !== undefined && { answer }),
      ...(mode && { mode }),
    };
    const ended = Promise.all([turn.result(), standIn(turn, tested, people)]).then(([result]) => result);
    const outcome = await ended.catch(async (error: unknown) => {
      if (error instanceof TurnFailed) await replay(turn.turnId);
      else await turn.interrupt('the test has failed').catch(() => undefined);
      throw error;
    });
    await replay(turn.turnId);
    for (const turnId of subTurnsOf(outcome)) await replay(turnId);
    const transcript = await turn.transcript();
    return { outcome, calls: callsOf(transcript), transcript };
  });
}

let replays: Promise<void> = Promise.resolve();

/**
 * Replays an ended turn's history, over all its runs, with today's workflow code; throws where the two differ. One after
 * the other: when a replay worker ends it may take the runtime of another one with it (SDK 1.24).
 */
export async function replay(turnId: string): Promise<void> {
  const ours = replays.catch(() => undefined).then(() => replayOne(turnId));
  replays = ours;
  await ours;
}

async function replayOne(turnId: string): Promise<void> {
  const { client } = await testPlace();
  const options = {
    workflowBundle: { codePath: workflowBundlePath() },
    sinks: holdfastSinks(),
    dataConverter: dataConverter(),
  };
  const last = await client.client.workflow.getHandle(turnId).fetchHistory();
  const started = last.events?.[0]?.workflowExecutionStartedEventAttributes;
  for (let runId = started?.firstExecutionRunId; runId; ) {
    const history = await client.client.workflow.getHandle(turnId, runId).fetchHistory();
    await Worker.runReplayHistory(options, history, turnId);
    const end = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    runId = end?.newExecutionRunId;
  }
}

function subTurnsOf({ steps }: FinishedTurn): string[] {
  return steps.flatMap(({ calls }) => calls.flatMap(({ subAgent }) => subAgent?.turnId ?? []));
}

function callsOf(transcript: readonly Message[]): TestedTurn['calls'] {
  return transcript.flatMap((message, index) => {
    const next = transcript[index + 1];
    const results = next?.role === 'tool' ? next.content : [];
    return toolCallsOf(message).flatMap((call) => {
      const result = results.find((each) => each.callId === call.id);
      return result ? [{ call, result }] : [];
    });
  });
}
