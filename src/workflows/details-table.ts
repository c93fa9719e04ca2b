import { summaryOfBlock } from '../shared/call-summary.js';
import { type Message, type ToolCallBlock, textOf, toolCallsOf } from '../shared/messages.js';
import type { TurnState } from '../shared/turn.js';
import { wireLine } from '../shared/wire-text.js';

const SHOWN_MESSAGES = 24;
const LINE_BYTES = 160;

/** The Markdown that the Web UI shows of a turn: where it is, and its latest calls. */
export class DetailsTable {
  readonly #summaries = new Map<string, string>();

  render(state: TurnState, messages: readonly Message[]): string {
    const tokens = state.usage.inputTokens + state.usage.outputTokens;
    const { costUsd = 0 } = state.usage;
    const cost = costUsd > 0 ? ` · $${costUsd.toFixed(4)}` : '';
    const version = state.version === undefined ? '' : ` ${state.version}`;
    const rows = messages.slice(-SHOWN_MESSAGES).flatMap((message, index, shown) => {
      return this.#rows(message, shown[index + 1], state);
    });
    return [
      `**${state.agent}${version}** · ${doing(state)} · ${state.iteration} model calls · ${tokens} tokens${cost}`,
      '',
      '| | what | |',
      '|---|---|---|',
      ...rows,
      ...waitingLines(state),
    ].join('\n');
  }

  #rows(message: Message, next: Message | undefined, state: TurnState): string[] {
    switch (message.role) {
      case 'system':
      case 'tool':
        return [];
      case 'user':
        return [row('user', textOf(message), '')];
      case 'assistant': {
        const text = textOf(message);
        const calls = toolCallsOf(message).map((call) =>
          row('tool', this.#summary(call), this.#status(call, next, state)),
        );
        return text === '' ? calls : [row('model', text, message.stopReason ?? 'cut'), ...calls];
      }
      default:
        return message satisfies never;
    }
  }

  #status(call: ToolCallBlock, next: Message | undefined, state: TurnState): string {
    if (next?.role === 'tool') return next.content.find((result) => result.callId === call.id)?.status ?? '';
    const { status = '', subAgent, until } = state.pendingCalls.find(({ id }) => id === call.id) ?? {};
    if (until !== undefined) return `${status} until ${until}`;
    return subAgent ? `${status}: ${escaped(subAgent.turnId)}` : status;
  }

  /** Kept, since a call's arguments may be long and the table is drawn at each step. */
  #summary(call: ToolCallBlock): string {
    const summary = this.#summaries.get(call.id) ?? summaryOfBlock(call);
    this.#summaries.set(call.id, summary);
    return summary;
  }
}

function doing({ outcome, waitingFor, context, phase, pendingCalls }: TurnState): string {
  if (outcome) return outcome;
  if (waitingFor) return 'waiting for a person';
  if (context?.compacting) return 'compacting the transcript';
  if (phase === 'model') return 'calling the model';
  const open = pendingCalls.filter(({ status }) => status === 'sleeping' || !SETTLED.includes(status));
  const until = open.every(({ status }) => status === 'sleeping') && open[0]?.until;
  return until ? `sleeping until ${until}` : 'running tools';
}

/** Results that wait for those of their reply's other calls. */
const SETTLED = ['ok', 'error', 'denied', 'interrupted', 'unknown'];

const SHOWN_REQUESTS = 10;

/** What a person is to decide, with the id that a decision names. */
function waitingLines({ waitingFor = [] }: TurnState): string[] {
  if (waitingFor.length === 0) return [];
  const shown = waitingFor.slice(0, SHOWN_REQUESTS).map((request) => {
    const what = request.kind === 'question' ? request.question : `${request.summary} (${request.why})`;
    return `| ${request.kind} | ${escaped(what)} | ${escaped(request.callId)} |`;
  });
  return ['', '| waits for | what | call |', '|---|---|---|', ...shown];
}

function escaped(text: string): string {
  return wireLine(text.slice(0, LINE_BYTES), LINE_BYTES).replace(/[|`\\<>[\]]/g, (char) => `\\${char}`);
}

function row(who: string, what: string, status: string): string {
  return `| ${who}\u2003 | ${escaped(what)} | ${status} |`;
}
