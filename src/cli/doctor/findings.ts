import type { OpenAiOptions } from '../../activities/openai/options.js';
import type { Message } from '../../shared/messages.js';
import type { ModelRequest } from '../../shared/model-port.js';
import type { Asked, Refused } from './ask.js';
import type { Answer } from './reach.js';

/** What the checks of one endpoint have found so far, each for those after it. */
export type Findings = {
  answer?: Answer;
  /** No request can succeed: what comes after is not tried. */
  hopeless?: boolean;
  reply?: Asked | Refused;
  /** What requests have to go with. */
  options?: OpenAiOptions;
  streamed?: Asked | Refused;
  calls?: Asked | Refused;
  /** Of all replies. */
  reasoned?: boolean;
};

/** Asks with what was found to work: as agents do, with a stream, unless the server can't. */
export type AskModel = (
  messages: readonly Message[],
  more?: Partial<ModelRequest>,
  options?: OpenAiOptions,
) => Promise<Asked | Refused>;

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
