import type { TurnUsage } from '../../shared/usage.js';
import { limitLine } from '../limit-line.js';
import { quoted } from '../quoted.js';
import { cut, oneLine, wrapped } from '../table.js';
import { safeText, type Terminal } from '../terminal.js';
import { compactionLine, duration } from '../turn-printer.js';
import { startWorker } from './pollers.js';
import type { RecordedCall, RecordedStep } from './recorded-turn.js';
import type { TurnLook } from './turn-look.js';
import { paintStatus } from './turn-table.js';
import { awaitedText } from './waiting.js';

const NAME = 11;
/** Of a step's row. */
const INDENT = 5;

/** A turn on one page: what it is, where it is, what it did. */
export function turnPage(terminal: Terminal, turn: TurnLook, now = Date.now()): string {
  const { style } = terminal;
  const width = terminal.width ?? Number.POSITIVE_INFINITY;
  const row = (name: string, text: string) => {
    const lines = wrapped(text, width - NAME).join(`\n${' '.repeat(NAME)}`);
    return `${style.dim(name.padEnd(NAME))}${lines}\n`;
  };
  const fitting = (text: string, indent: number) => cut(oneLine(text), width - indent);
  const facts = factsOf(turn, now).map(([name, text]) => row(name, text));
  return [
    `${style.bold(cut(turn.turnId, width))}\n`,
    `${paintStatus(terminal, turn.status)} ${style.dim('·')} ${heading(turn, now)}\n`,
    `${style.dim(fitting(turn.prompt, 0))}\n\n`,
    ...facts,
    ...turn.steps.flatMap((step, index) => [
      index === 0 ? '\n' : '',
      ...(step.compactions ?? []).map(
        (each) => `${' '.repeat(INDENT)}${style.dim(fitting(compactionLine(each), INDENT))}\n`,
      ),
      stepLine(terminal, step, turn.status === 'running'),
      ...step.calls.map((call) => callLine(terminal, call, turn, fitting)),
    ]),
    ...ending(terminal, turn),
  ].join('');
}

function heading({ agent, version, model, startedAt, endedAt }: TurnLook, now: number): string {
  const who = [`${agent}${version === undefined ? '' : ` ${version}`}`, model];
  const took = duration((endedAt ? Date.parse(endedAt) : now) - Date.parse(startedAt));
  return [...who, endedAt ? `took ${took}` : `for ${took}`]
    .filter(Boolean)
    .map(String)
    .map(oneLine)
    .join(' · ');
}

function factsOf(turn: TurnLook, now: number): [name: string, text: string][] {
  const { waitsFor, pollers, notAnswered, failure, webUi, pendingCalls } = turn;
  const facts: [string, string][] = [];
  for (const awaited of waitsFor ?? []) {
    facts.push(['waits for', awaitedText(awaited, now)]);
    const { lastFailure } = awaited;
    if (lastFailure) facts.push(['', `last failure: ${lastFailure.type}: ${oneLine(lastFailure.message)}`]);
  }
  const waiting = pendingCalls.filter(({ status }) => status === 'waiting');
  if (waiting.length > 0) facts.push(['then', waiting.map(({ name }) => name).join(', ')]);
  if (pollers) facts.push(['queue', `${turn.taskQueue}, ${polled(pollers)}`]);
  if (pollers?.length === 0) facts.push(['', startWorker(turn.taskQueue, turn.turnId)]);
  if (notAnswered) facts.push(['state', `not told: ${oneLine(notAnswered)}`]);
  if (notAnswered)
    facts.push(['', 'So this page is from the event history, without the usage of failed tries.']);
  if (failure) facts.push(['failure', `${failure.type}: ${oneLine(failure.message)}`]);
  const by = turn.outcome?.intervention;
  if (by) facts.push(['ended by', oneLine(`${by.by ?? 'somebody'}${by.reason ? `: ${by.reason}` : ''}`)]);
  const exceeded = turn.outcome?.exceeded;
  if (exceeded) facts.push(['limit', `${exceeded.limit}: ${limitLine(exceeded)}`]);
  facts.push(['usage', usageText(turn.usage)]);
  const own = turn.deltaCount === turn.messageCount ? 'all' : `${turn.deltaCount} of them`;
  facts.push(['messages', `${turn.messageCount}, ${own} added by this turn`]);
  const names = (turn.artifacts ?? []).map(({ name }) => oneLine(name));
  if (names.length > 0) facts.push(['artifacts', names.join(', ')]);
  facts.push(['started', turn.startedAt]);
  facts.push(['run', `${turn.runId} · ${turn.historyEvents} events`]);
  if (webUi) facts.push(['web ui', webUi]);
  return facts;
}

function polled(pollers: TurnLook['pollers'] = []): string {
  if (pollers.length === 0) return 'which no worker polls';
  const names = pollers.map(({ identity }) => identity).join(', ');
  return `polled by ${pollers.length} worker${pollers.length === 1 ? '' : 's'} (${names})`;
}

function usageText({ modelCalls, failedCalls, inputTokens, outputTokens, costUsd }: TurnUsage): string {
  const calls = `${modelCalls} model call${modelCalls === 1 ? '' : 's'}`;
  const failed = failedCalls ? ` and ${failedCalls} failed tries` : '';
  const cost = costUsd ? ` · $${costUsd.toFixed(4)}` : '';
  return `${calls}${failed} · ${inputTokens} tokens in, ${outputTokens} out${cost}`;
}

function stepLine({ style }: Terminal, step: RecordedStep, isRunning: boolean): string {
  const { iteration, startedAt, endedAt, attempt, model, stopReason, usage } = step;
  const number = String(iteration + 1).padStart(3);
  if (endedAt === undefined)
    return `${number}  ${style.dim(isRunning ? 'has not answered yet' : 'did not answer')}\n`;
  const parts = [
    model ?? 'model',
    duration(Date.parse(endedAt) - Date.parse(startedAt)),
    stopReason ?? 'cut',
    usage && `${usage.inputTokens ?? '?'} in, ${usage.outputTokens ?? '?'} out`,
    attempt && attempt > 1 ? `try ${attempt}` : undefined,
  ];
  return `${number}  ${style.dim(parts.filter(Boolean).map(String).map(oneLine).join(' · '))}\n`;
}

function callLine(
  { style }: Terminal,
  call: RecordedCall,
  turn: TurnLook,
  fitting: (text: string, indent: number) => string,
): string {
  const { result, attempt = 1, summary, startedAt } = call;
  const indent = ' '.repeat(INDENT);
  const tried = attempt > 1 ? ` try ${attempt}` : '';
  if (!result) {
    const status = turn.pendingCalls.find(({ id }) => id === call.id)?.status;
    const tail = ` ${status === undefined || status === 'pending' ? (startedAt ? 'scheduled' : 'waiting') : status}`;
    return `${indent}${style.yellow('…')} ${fitting(summary, INDENT + 2 + tail.length)}${style.dim(tail)}\n`;
  }
  const time = result.durationMs === undefined ? '' : ` ${duration(result.durationMs)}`;
  const tail = `${time}${tried}`;
  const line = `${fitting(summary, INDENT + 2 + tail.length)}${style.dim(tail)}\n`;
  if (result.status === 'ok') return `${indent}${style.green('✓')} ${line}`;
  const said = result.content.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
  const why = fitting(`${result.status}: ${said}`, INDENT + 2);
  return `${indent}${style.red('✗')} ${line}${indent}  ${style.red(why)}\n`;
}

/** What it said last, and what to do next. */
function ending({ style }: Terminal, { status, outcome, steps, turnId, endedAt }: TurnLook): string[] {
  const text = (outcome?.text ?? steps.at(-1)?.text ?? '').trim();
  const said = text === '' ? [] : [`\n${safeText(text)}\n`];
  const next = endedAt || status !== 'running' ? 'transcript' : 'watch';
  return [...said, `\n${style.dim(`holdfast ${next} ${quoted(turnId)}`)}\n`];
}
