import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { afterAll, expect, vi } from 'vitest';
import { z } from 'zod';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import { recordedSession } from '../../src/cli/sessions/recorded-session.js';
import type { AgentClient } from '../../src/client/agent-client.js';
import type { SessionHandle } from '../../src/client/session-handle.js';
import type { SendOptions, SessionOptions } from '../../src/client/session-options.js';
import { packedMessages } from '../../src/client/session-transcript.js';
import type { SessionTurnHandle } from '../../src/client/session-turn-handle.js';
import type { Agent } from '../../src/define/define-agent.js';
import type { TranscriptBase } from '../../src/shared/carried.js';
import { type Message, textOf } from '../../src/shared/messages.js';
import type { Model } from '../../src/shared/model-port.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { type Script, scriptedModel } from '../../src/testing/index.js';
import { testPlace, withWorker } from '../../src/testing/test-environment.js';
import { workflowBundlePath } from '../../src/worker/bundle-path.js';
import { holdfastSinks } from '../../src/worker/sinks.js';
import { agentWith, countedTool, gate } from '../turn/agents.js';
import { heldWorker } from '../turn/held-worker.js';
import { modelsByName } from '../turn/shared-worker.js';

export const PATIENCE = { timeout: 40_000, interval: 20 };

export type TestedSession = {
  session: SessionHandle;
  /** The name by which a turn has this session's model. */
  model: string;
  /** What its model was sent, in order. */
  requests: ReturnType<typeof scriptedModel>['requests'];
  send(prompt: string, options?: SendOptions & { agent?: string }): Promise<SessionTurnHandle>;
  /** Texts of its transcript, each with its role's first letter; tool results by their status. */
  told(): Promise<string[]>;
};

/** One worker for all tests of a file, with the agents `tester` and `other`, and `more`. Each session has a script of its own. */
export function sessionPlace(more: (model: Model) => Agent[] = () => []) {
  const models = modelsByName();
  const echo = countedTool('echo', { text: z.string() }, ({ text }) => text);
  const asked = countedTool('asked', { text: z.string() }, ({ text }) => text, { approval: 'ask' });
  const held = heldTool();
  const tools = [echo.tool, asked.tool, held.tool];
  const agents: [Agent, ...Agent[]] = [
    agentWith(tools, { model: models.model }),
    agentWith(tools, { model: models.model, name: 'other', instructions: 'Be another one.' }),
    agentWith(tools, {
      model: models.model,
      name: 'dynamic',
      iterationsPerRun: 1,
      instructions: ({ prompt }) => `On ${prompt}.`,
    }),
    ...more(models.model),
  ];
  const sessions: string[] = [];
  const worker = heldWorker(agents);
  afterAll(async () => {
    await worker.end();
    await replayed(sessions);
  });

  return {
    held,
    get client(): AgentClient {
      return worker.running().client;
    },
    get taskQueue(): string {
      return worker.running().taskQueue;
    },
    /** Beside a worker on another task queue. */
    async serve(taskQueue: string, use: () => Promise<void>, artifacts?: ArtifactStore): Promise<void> {
      await withWorker(agents[0], use, { agents, taskQueue, ...(artifacts && { artifacts }) });
    },
    /** A model that a turn can be sent with. */
    model(script: Script): { name: string; requests: TestedSession['requests'] } {
      const model = scriptedModel(script);
      return { name: models.add(model), requests: model.requests };
    },
    open(script: Script, options: SessionOptions & { sessionId?: string } = {}): TestedSession {
      const { sessionId = `s-${randomUUID()}`, ...rest } = options;
      sessions.push(sessionId);
      const { name, requests } = this.model(script);
      const session = this.client.session(sessionId, { taskQueue: this.taskQueue, ...rest });
      return tested(session, name, requests);
    },
  };
}

export function tested(
  session: SessionHandle,
  model: string,
  requests: TestedSession['requests'],
): TestedSession {
  return {
    session,
    model,
    requests,
    send: (prompt, { agent = 'tester', ...options } = {}) =>
      session.send(agent, prompt, { model, ...options }),
    async told() {
      const messages = await session.transcript();
      expect(transcriptProblems(messages)).toEqual([]);
      return messages.map((message) => {
        if (message.role === 'tool') return message.content.map(({ status }) => status).join(' ');
        return `${message.role[0]}: ${textOf(message)}`;
      });
    },
  };
}

type History = Parameters<typeof Worker.runReplayHistory>[1];

/** Every run of each session goes on with today's workflow code. */
async function replayed(sessions: readonly string[]): Promise<void> {
  const { workflow } = (await testPlace()).client.client;
  const histories: { workflowId: string; history: History }[] = [];
  for (const workflowId of sessions) {
    const last = await workflow.getHandle(workflowId).fetchHistory();
    let runId = last.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId;
    while (runId) {
      const history = await workflow.getHandle(workflowId, runId).fetchHistory();
      histories.push({ workflowId, history });
      runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    }
  }
  const options = { workflowBundle: { codePath: workflowBundlePath() }, sinks: holdfastSinks() };
  const problems = [];
  for await (const { error } of Worker.runReplayHistories(options, histories))
    if (error) problems.push(error);
  expect(problems).toEqual([]);
}

/** A tool that waits until the test lets it go, or it is interrupted; each call of it anew. */
function heldTool() {
  let begun = gate();
  let release = () => {};
  const { tool } = countedTool('hold', {}, async (_args, { signal }) => {
    const released = gate();
    release = released.open;
    begun.open();
    const stopped = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await Promise.race([released.opened, stopped]);
    return 'held';
  });
  return {
    tool,
    /** Resolves when a call of it has begun since this was called last. */
    async running(): Promise<void> {
      await begun.opened;
      begun = gate();
    },
    release: () => release(),
  };
}

/** What the event history alone tells of its messages, and of those that turns are given in their place. */
export async function recorded({ client }: AgentClient, sessionId: string) {
  const { runId, taskQueue } = await client.workflow.getHandle(sessionId).describe();
  const { messages, ...rest } = await recordedSession(client, { workflowId: sessionId, runId });
  const read = async (base: TranscriptBase | undefined) => {
    const all: Message[] = [];
    if (base) for await (const message of packedMessages(client, taskQueue, base)) all.push(message);
    return all;
  };
  const { base, compacted = base, artifacts } = messages;
  return { whole: await read(base), given: await read(compacted), artifacts, ...rest };
}

export async function idle(session: SessionHandle, turns: number): Promise<void> {
  await vi.waitFor(async () => {
    expect(await session.state()).toMatchObject({ phase: 'idle', turns, queue: [] });
  }, PATIENCE);
}
