import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  Client,
  Connection,
  type ScheduleOptionsAction,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { type CodecOptions, dataConverter } from '../codec/data-converter.js';
import type { AgentType, OutputOf } from '../shared/agent-type.js';
import { askedBy, type PromptPart, shownPrompt } from '../shared/prompt-parts.js';
import { reached } from '../shared/reached.js';
import {
  DEFAULT_TASK_QUEUE,
  TURN_ID,
  TURN_WORKFLOW,
  type TurnOutcome,
  WORKFLOW_TASK_TIMEOUT,
} from '../shared/turn.js';
import { type GivenByParent, type TurnInput, turnInputProblems } from '../shared/turn-input.js';
import { wireLine, wireText } from '../shared/wire-text.js';
import { connectConfig } from './connect-config.js';
import { InvalidInput, TurnConflict } from './errors.js';
import { decodePayloads } from './payloads.js';
import { SessionHandle } from './session-handle.js';
import type { SessionOptions } from './session-options.js';
import { TurnHandle } from './turn-handle.js';
import type { WaitingTurn } from './waiting.js';

export type AgentClientOptions = {
  /** A Temporal client of yours, with its namespace, data converter and interceptors. */
  client: Client;
  /** Where turns are started; default `holdfast`. */
  taskQueue?: string;
};

export type StartOptions = Partial<
  Omit<TurnInput, 'v' | 'agent' | 'prompt' | 'attachments' | GivenByParent>
> & {
  /** Names the turn, so that starting it twice runs it once. Default: a new one. */
  turnId?: string;
  taskQueue?: string;
};

/** What a schedule adds to an id looks so. */
const SCHEDULED_TIME = '-2026-11-30T03:00:00Z';

/** Starts turns and finds running ones. Everything goes through Temporal; nothing is kept in this process. */
export class AgentClient {
  readonly client: Client;
  readonly #taskQueue: string;
  readonly #close: (() => Promise<void>) | undefined;

  constructor(options: AgentClientOptions, close?: () => Promise<void>) {
    this.client = options.client;
    this.#taskQueue = options.taskQueue ?? DEFAULT_TASK_QUEUE;
    this.#close = close;
  }

  /**
   * Connects as every Temporal client does: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, or a profile; else to this machine's
   * server, at `HOLDFAST_PORT` or 7233. What workers encrypt is read with the keys of `codec`; default:
   * `HOLDFAST_ENCRYPTION_KEYS`. Throws where no server answers within 10 s.
   */
  static async connect(
    options: { address?: string; namespace?: string; taskQueue?: string; codec?: CodecOptions } = {},
  ): Promise<AgentClient> {
    const converter = dataConverter(options.codec);
    const { connectionOptions, namespace } = await connectConfig(options);
    const connecting = Connection.connect({
      ...connectionOptions,
      // A page of a turn's history may be larger than the 4 MB that gRPC takes by default.
      channelArgs: { 'grpc.max_receive_message_length': -1 },
    });
    const connection = await reached(connectionOptions.address, connecting);
    const { taskQueue } = options;
    return new AgentClient(
      {
        client: new Client({ connection, namespace, dataConverter: converter }),
        ...(taskQueue !== undefined && { taskQueue }),
      },
      () => connection.close(),
    );
  }

  /** Closes the connection that `connect` made; one of yours stays open. */
  async close(): Promise<void> {
    await this.#close?.();
  }

  /**
   * Starts a turn and returns at once. A prompt may have images and files in it. A `turnId` that was used before attaches to that turn (`attached`), unless
   * its agent or prompt differ: then {@link TurnConflict}. Throws a TypeError for options that no turn can have.
   */
  async start<Typed extends AgentType = AgentType>(
    agent: string,
    prompt: string | readonly PromptPart[],
    options: StartOptions = {},
  ): Promise<TurnHandle<OutputOf<Typed>>> {
    const { turnId = randomUUID(), taskQueue = this.#taskQueue, ...rest } = options;
    const input = checkedInput({ v: 1, agent, ...askedBy(prompt), ...rest });
    if (typeof turnId !== 'string' || !TURN_ID.test(turnId)) {
      throw new InvalidInput(
        `turnId ${JSON.stringify(turnId)}: use letters, digits and . _ : / -, 200 at most.`,
      );
    }
    try {
      const handle = await this.client.workflow.start(TURN_WORKFLOW, {
        workflowId: turnId,
        taskQueue,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        ...shownAs(agent, input),
        ...(input.tenant !== undefined && { priority: { fairnessKey: input.tenant } }),
      });
      return this.#turn(handle, false);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const { input: started, isWhole } = await this.#firstInput(turnId);
      if (started?.agent !== agent || !asksTheSame(started, input, isWhole)) {
        const why = started?.agent === agent ? 'another prompt' : `the agent "${started?.agent}"`;
        throw new TurnConflict(
          `Turn ${turnId} was started before with ${why}. Give this one another turnId.`,
        );
      }
      return this.#turn(this.client.workflow.getHandle(turnId), true);
    }
  }

  /**
   * What a schedule of Temporal's does to start a turn each time: `client.client.schedule.create({ scheduleId, spec, action })`.
   * The server adds the time to the turn's id: `turnId`, default the agent's name, is what it begins with. Throws a
   * TypeError for options that no turn can have.
   */
  turnAction(
    agent: string,
    prompt: string | readonly PromptPart[],
    options: StartOptions = {},
  ): ScheduleOptionsAction {
    const { turnId = agent, taskQueue = this.#taskQueue, ...rest } = options;
    const input = checkedInput({ v: 1, agent, ...askedBy(prompt), ...rest });
    if (typeof turnId !== 'string' || !TURN_ID.test(`${turnId}${SCHEDULED_TIME}`)) {
      throw new InvalidInput(
        `turnId ${JSON.stringify(turnId)}: use letters, digits and . _ : / -, 179 at most, as the time is added.`,
      );
    }
    return {
      type: 'startWorkflow',
      workflowType: TURN_WORKFLOW,
      workflowId: turnId,
      taskQueue,
      args: [input],
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      ...shownAs(agent, input),
    };
  }

  /** A turn that was started before, by whomever. Whether it exists shows at the first call on it. */
  turn<Typed extends AgentType = AgentType>(turnId: string): TurnHandle<OutputOf<Typed>> {
    return this.#turn(this.client.workflow.getHandle(turnId), true);
  }

  /** A conversation, which begins with the first message that is sent to it; then `options` say how. */
  session(sessionId: string, options: SessionOptions = {}): SessionHandle {
    return new SessionHandle({ client: this.client, taskQueue: this.#taskQueue }, sessionId, options);
  }

  /** The running turns that wait for people. */
  async *waiting(): AsyncGenerator<WaitingTurn, void, undefined> {
    const { waitingTurns } = await import('./waiting.js');
    yield* waitingTurns(this.client);
  }

  #turn<Output>(handle: WorkflowHandle, attached: boolean): TurnHandle<Output> {
    return new TurnHandle<Output>(
      this.client,
      handle as WorkflowHandle<() => Promise<TurnOutcome>>,
      attached,
    );
  }

  /** What the turn was started with, from the first event of its history; of its last run where the first is gone. */
  async #firstInput(workflowId: string): Promise<{ input: TurnInput | undefined; isWhole: boolean }> {
    const last = await this.#startOf(workflowId);
    const runId = last?.continuedExecutionRunId ? last.firstExecutionRunId : undefined;
    const first = runId ? await this.#startOf(workflowId, runId).catch(() => undefined) : last;
    const { input: args } = first ?? last ?? {};
    const [input] = await decodePayloads(this.client.options.loadedDataConverter, args?.payloads);
    return { input: input as TurnInput | undefined, isWhole: first !== undefined };
  }

  async #startOf(workflowId: string, runId?: string) {
    const { history } = await this.client.workflowService.getWorkflowExecutionHistory({
      namespace: this.client.options.namespace,
      execution: { workflowId, ...(runId !== undefined && { runId }) },
      maximumPageSize: 1,
    });
    return history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  }
}

/** A later run of a turn is not given the attachments again. */
function asksTheSame(started: TurnInput, input: TurnInput, isWhole: boolean): boolean {
  if (started.prompt !== input.prompt) return false;
  return !isWhole || isDeepStrictEqual(started.attachments ?? [], input.attachments ?? []);
}

/** What the Web UI shows of it. */
function shownAs(agent: string, input: TurnInput): { staticSummary: string; staticDetails: string } {
  const shown = shownPrompt(input);
  return { staticSummary: wireLine(`${agent}: ${shown}`), staticDetails: wireText(shown, 2000) };
}

function checkedInput(input: TurnInput): TurnInput {
  const problems = turnInputProblems(input);
  if (problems.length === 0) return input;
  throw new InvalidInput(`This turn can't be started.\n${problems.join('\n')}`);
}
