import type { Client } from '@temporalio/client';
import { ArtifactNames } from '../../shared/artifact-names.js';
import type { CarriedSession } from '../../shared/carried-session.js';
import type { CutPlace } from '../../shared/cut-transcript.js';
import type { SessionInput } from '../../shared/session.js';
import type { CollectedTurn, SessionMessages } from '../../shared/session-activities.js';
import { changedLimits, type SessionLimits } from '../../shared/session-limits.js';
import { type CutReceipt, setLimitsProblems } from '../../shared/session-requests.js';
import { type SessionStep, sessionSteps } from './session-steps.js';

/** What a session has said and may use, as its event history tells it. */
export type RecordedSession = {
  messages: SessionMessages;
  limits: SessionLimits;
  keepsTranscript: boolean;
  /** The workflow id of the turn whose messages are not among them yet. */
  running?: string;
};

/** Of the run that is named, the last one; no worker is needed. */
export async function recordedSession(
  client: Client,
  run: { workflowId: string; runId: string },
): Promise<RecordedSession> {
  const fold = new MessagesFold();
  for await (const { step } of sessionSteps(client, run)) if (step) fold.take(step);
  return fold.session;
}

class MessagesFold {
  #messages: SessionMessages = {};
  readonly #artifacts = new ArtifactNames();
  #limits: SessionLimits = {};
  #keepsTranscript = true;
  #running: string | undefined;
  /** What cuts have made, by their places. */
  readonly #cuts = new Map<string, SessionMessages>();

  get session(): RecordedSession {
    const { base, compacted } = this.#messages;
    const messages = {
      ...(base && { base }),
      ...(compacted && { compacted }),
      ...this.#artifacts.carried(),
    };
    return {
      ...{ messages, limits: this.#limits, keepsTranscript: this.#keepsTranscript },
      ...(this.#running !== undefined && { running: this.#running }),
    };
  }

  take(step: SessionStep): void {
    switch (step.kind) {
      case 'begun':
        this.#begin(step.input, step.carried);
        break;
      case 'turn_begun':
        this.#running = step.turnId;
        break;
      case 'turn_refused':
        this.#running = undefined;
        break;
      case 'collected':
        this.#collect(step.turn);
        break;
      case 'compacted':
        if (step.made.compacted) this.#messages = { ...this.#messages, compacted: step.made.compacted };
        break;
      case 'cut':
        this.#cuts.set(JSON.stringify(step.keep), step.made);
        break;
      case 'rolled_back':
        this.#rollBack(step.keep, step.receipt);
        break;
      case 'limits_asked':
        if (setLimitsProblems(step.request).length === 0)
          this.#limits = changedLimits(this.#limits, step.request.limits);
        break;
      default:
        step satisfies never;
    }
  }

  #begin(input: Partial<SessionInput>, carried: CarriedSession | undefined): void {
    const { limits, artifacts, compacted } = carried ?? input;
    const base = carried ? carried.base : input.earlier;
    this.#messages = { ...(base && { base }), ...(compacted && { compacted }) };
    this.#artifacts.learn([], artifacts);
    this.#limits = limits ?? input.limits ?? {};
    this.#keepsTranscript = input.keepTranscript ?? true;
    this.#running = carried?.running?.turnId;
  }

  #collect(turn: CollectedTurn): void {
    if (!turn.ended) return;
    const { base, compacted, artifacts } = turn;
    this.#messages = { ...(base && { base }), ...(compacted && { compacted }) };
    this.#artifacts.learn([], artifacts);
    this.#running = undefined;
  }

  #rollBack(keep: CutPlace, { status }: CutReceipt): void {
    if (status !== 'done' || keep === 'all') return;
    this.#messages = this.#cuts.get(JSON.stringify(keep)) ?? {};
    this.#artifacts.forget();
    this.#artifacts.learn([], this.#messages.artifacts);
  }
}
