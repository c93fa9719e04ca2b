import { areNamedArtifacts, type NamedArtifact } from './artifact-names.js';
import { isTranscriptBase, type TranscriptBase } from './carried.js';
import { type EarlyEnd, isEarlyEnd } from './interventions.js';
import { isJsonObject, type JsonObject, jsonBytes } from './json.js';
import { type BudgetShare, isBudgetShare, isLimits, type Limits } from './limits.js';
import { isMessage, type Message } from './messages.js';
import { isModelOptions, type ModelOptions } from './model-options.js';
import { isParentTurn, type ParentTurn } from './parent-turn.js';
import { PERMISSION_MODES, type PermissionMode } from './permissions.js';
import { isPromptParts, type PromptPart } from './prompt-parts.js';
import { isBoolean, isListOf, isNonEmptyText, isOneOf, isShape, isText } from './shape.js';
import { isMetadata, isTenant } from './turn-checks.js';
import { WIRE_VERSION } from './version.js';
import { errorText } from './wire-text.js';

/** Temporal carries 2 MB a payload, and the prompt is in the outcome again, with what is said about it. */
const INPUT_BYTES = 1_500_000;

export type TurnInput = {
  v: 1;
  agent: string;
  /** The agent's version; without it, the one that the worker has. */
  version?: string;
  prompt: string;
  /** What the model is given after the prompt, in order: images, files, more text. */
  attachments?: PromptPart[];
  /** Earlier messages of the conversation. */
  transcript?: Message[];
  /** In place of the agent's own instructions. */
  instructions?: string;
  /** In place of the agent's own model name. */
  model?: string;
  /** Each in place of the model's own. */
  modelOptions?: ModelOptions;
  limits?: Limits;
  /** In place of the agent's own. Its deny rules hold in each. */
  mode?: PermissionMode;
  /** Whether the text is to be watched as it comes. It makes heartbeats five times as frequent. */
  stream?: boolean;
  metadata?: JsonObject;
  /** For fair shares between tenants. */
  tenant?: string;
  /** W3C trace context. */
  traceparent?: string;
  /** Set by the turn that calls a sub-agent, and by a session. */
  parent?: ParentTurn;
  /** Set by a session: its messages up to now, packed, in the place of a `transcript`. */
  earlier?: TranscriptBase;
  /** Set by a session: the rules that people have added by "always" to this agent in its earlier turns. */
  always?: string[];
  /** Set by a session: what the tools of its earlier turns have given out by name. */
  artifacts?: NamedArtifact[];
  /** Set by a session: what is left of its own limits. */
  share?: BudgetShare;
  /** Set by a session: somebody has ended the turn before it could begin. */
  ended?: EarlyEnd;
};

const isTurnInput = isShape(
  { v: isOneOf(WIRE_VERSION), agent: isNonEmptyText, prompt: isText },
  {
    version: isText,
    attachments: isPromptParts,
    transcript: isListOf(isMessage),
    instructions: isText,
    model: isText,
    modelOptions: isModelOptions,
    limits: isLimits,
    mode: isOneOf(...PERMISSION_MODES),
    stream: isBoolean,
    metadata: isMetadata,
    tenant: isTenant,
    traceparent: isText,
    parent: isParentTurn,
    earlier: isTranscriptBase,
    always: isListOf(isText),
    artifacts: areNamedArtifacts,
    share: isBudgetShare,
    ended: isEarlyEnd,
  },
);

/** What a turn is given by whoever started it in another one's name. */
export const GIVEN_BY_PARENT = ['parent', 'earlier', 'always', 'artifacts', 'share', 'ended'] as const;
export type GivenByParent = (typeof GIVEN_BY_PARENT)[number];

/** What is wrong with a turn input, one line each: `limits.iterations: expected a whole number ...`. None if it is one. */
export function turnInputProblems(value: unknown): string[] {
  try {
    // JSON that is nested some thousand levels deep overflows the stack of whoever writes it.
    const bytes = jsonBytes(value);
    const problems = isTurnInput(value, '');
    if (isJsonObject(value) && value['earlier'] && value['transcript'])
      problems.push('transcript: a turn that is given `earlier` messages takes no others');
    if (problems.length > 0 || bytes <= INPUT_BYTES) return problems;
    return [`(it): takes ${bytes} bytes; a turn's input may take ${INPUT_BYTES}. ${adviceOn(value)}`];
  } catch (error) {
    return [errorText(error)];
  }
}

function adviceOn(value: unknown): string {
  const attached = isJsonObject(value) ? jsonBytes(value['attachments'] ?? []) : 0;
  return attached > INPUT_BYTES / 2
    ? 'Make the attachments smaller, give images by their url, or let a tool read the files.'
    : 'Put long texts into a file that a tool reads.';
}
