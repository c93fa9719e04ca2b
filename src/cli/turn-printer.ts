import { summaryOfBlock } from '../shared/call-summary.js';
import type { CompactionRecord } from '../shared/compaction/settings.js';
import type { TurnEvent } from '../shared/events.js';
import { FINAL_ANSWER, finalTextIn } from '../shared/final-answer.js';
import { type AssistantMessage, type ToolResultBlock, textOf, toolCallsOf } from '../shared/messages.js';
import { wireLine } from '../shared/wire-text.js';
import { personLine } from './people/person-line.js';
import { safeText, type Terminal } from './terminal.js';

const PREVIEW_BYTES = 160;

/** Prints a turn as it happens: text as it comes, a line when a call begins and one when it ends. */
export class TurnPrinter {
  readonly #terminal: Terminal;
  /** Characters of the present reply that are on the screen. */
  #printed = 0;
  #atLineStart = true;
  /** What the present reply has given as the answer, by the tool for it. */
  #final: string | undefined;
  readonly #summaries = new Map<string, string>();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  print(event: TurnEvent): void {
    const { style } = this.#terminal;
    switch (event.type) {
      case 'turn_started':
      case 'turn_ended':
        this.#freshLine();
        break;
      case 'steered':
        this.#line(style.bold(`> ${shown(event.steer.message)}`));
        break;
      case 'model_started':
        this.#printed = 0;
        break;
      case 'compaction_started':
        this.#line(style.dim('  … compacting the transcript'));
        break;
      case 'compaction':
        this.#line(style.dim(`  ${compactionLine(event)}`));
        break;
      case 'text_delta':
        this.#text(event.offset, event.text);
        break;
      case 'reset':
        this.#line(style.yellow('  ↺ that reply broke off; what follows replaces it'));
        this.#printed = 0;
        break;
      case 'retry_waiting': {
        const { type, message } = event.failure;
        const failed = `try ${event.attempt - 1} failed (${type}), trying again ${whenNext(event)}`;
        this.#line(style.yellow(`  ↻ ${failed}: ${shown(message)}`));
        break;
      }
      case 'limit_waiting':
        this.#line(
          style.yellow(`  … waits for its turn, by this worker's limits of the model${howLong(event)}`),
        );
        break;
      case 'message':
        this.#message(event.message);
        break;
      case 'approval_requested':
      case 'question_asked':
      case 'decided':
        this.#line(style.bold(`  ${personLine(event)}`));
        break;
      case 'tool_started':
        this.#summaries.set(event.callId, event.summary);
        this.#line(style.dim(`  → ${shown(event.summary)}${event.until ? `, until ${event.until}` : ''}`));
        break;
      case 'tool_progress':
        this.#line(style.dim(`    ${shown(event.text)}`));
        break;
      case 'tool_finished':
        this.#toolFinished(event.callId, event.result);
        break;
      case 'hook':
        this.#line(style.dim(`  ${hookLine(event)}`));
        break;
      case 'sub_agent':
        this.#subAgent(event.event, '    ');
        break;
      default:
        event satisfies never;
    }
  }

  /** A line of its own, between what the turn prints. */
  note(text: string): void {
    this.#line(text);
  }

  /** The rest of the reply: all of it, where nothing was streamed. */
  #message(message: AssistantMessage): void {
    for (const call of toolCallsOf(message)) this.#summaries.set(call.id, summaryOfBlock(call));
    this.#final = finalTextIn(message);
    const whole = textOf(message);
    this.#text(this.#printed, whole.slice(this.#printed));
    this.#printed = 0;
    this.#freshLine();
  }

  #text(offset: number, text: string): void {
    const fresh = safeText(text.slice(Math.max(0, this.#printed - offset)));
    if (fresh === '') return;
    this.#terminal.write(fresh);
    this.#atLineStart = fresh.endsWith('\n');
    this.#printed = offset + text.length;
  }

  #toolFinished(callId: string, result: ToolResultBlock): void {
    const { style } = this.#terminal;
    const summary = shown(this.#summaries.get(callId) ?? result.name);
    const time = result.durationMs === undefined ? '' : ` ${style.dim(duration(result.durationMs))}`;
    const said = shown(result.content.map((block) => (block.type === 'text' ? block.text : '')).join(' '));
    if (this.#final !== undefined && result.name === FINAL_ANSWER && result.status === 'ok') {
      this.#line(safeText(this.#final));
      return;
    }
    this.#line(
      result.status === 'ok'
        ? `  ${style.green('✓')} ${summary}${time}`
        : `  ${style.red('✗')} ${summary}${time} ${style.red(result.status)}: ${said}`,
    );
  }

  /** What a sub-agent does: its calls, and those of its own sub-agents further in. */
  #subAgent(event: TurnEvent, indent: string): void {
    if (event.type === 'sub_agent') this.#subAgent(event.event, `${indent}  `);
    const { style } = this.#terminal;
    if (event.type === 'approval_requested' || event.type === 'question_asked' || event.type === 'decided')
      this.#line(style.bold(`${indent}${personLine(event)}`));
    if (event.type === 'tool_started') this.#line(style.dim(`${indent}→ ${shown(event.summary)}`));
    if (event.type === 'tool_finished' && event.result.status !== 'ok') {
      this.#line(style.dim(`${indent}✗ ${shown(event.name)} ${event.result.status}`));
    }
  }

  #line(text: string): void {
    this.#freshLine();
    this.#terminal.write(`${text}\n`);
  }

  #freshLine(): void {
    if (!this.#atLineStart) this.#terminal.write('\n');
    this.#atLineStart = true;
  }
}

/** `hook guard blocked the call: no pushes on Fridays`. */
function hookLine({ hook, point, did, text }: Extract<TurnEvent, { type: 'hook' }>): string {
  const what = {
    blocked: 'blocked the call',
    asked: 'asks for an approval',
    changed: point === 'beforeToolCall' ? 'changed the arguments' : 'changed',
    noted: 'notes',
    failed: `failed (${point})`,
  }[did];
  return `hook ${hook} ${what}${text === undefined ? '' : `: ${shown(text)}`}`;
}

function shown(text: string): string {
  return wireLine(safeText(text), PREVIEW_BYTES);
}

/** `⇣ the transcript was compacted: about 91,000 tokens are 12,000 now (summary of 40 messages)`. */
export function compactionLine({
  method,
  before,
  after,
  covers,
  cleared,
  notKept,
  problem,
}: CompactionRecord): string {
  if (method === undefined) return `the transcript stays as it is: ${shown(problem ?? '')}`;
  const [from, to] = [before, after].map((tokens) => tokens.toLocaleString('en-US'));
  const what =
    method === 'summary'
      ? `summary of ${covers?.count ?? 0} messages`
      : `${cleared ?? 0} old results cleared`;
  const lost = notKept === undefined ? '' : `; the model can't look them up: ${shown(notKept)}`;
  return `⇣ the transcript was compacted: about ${from} tokens are ${to} now (${what})${lost}`;
}

type Waiting = { at: string; untilAt?: string };

/** `in 42.0 s (at 14:03:10)`, by the clock of the one who looks. */
function whenNext({ at, untilAt = at }: Waiting): string {
  const ms = Date.parse(untilAt) - Date.parse(at);
  return ms > 0 ? `in ${duration(ms)} (at ${clockTime(untilAt)})` : 'now';
}

function howLong({ at, untilAt }: Waiting): string {
  if (untilAt === undefined) return '';
  return `, for ${duration(Math.max(0, Date.parse(untilAt) - Date.parse(at)))} (until ${clockTime(untilAt)})`;
}

function clockTime(at: string): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
