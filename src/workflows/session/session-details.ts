import { wireLine } from '../../shared/wire-text.js';
import type { SessionRun } from './session-run.js';

const SHOWN_TURNS = 20;
const LINE_BYTES = 160;

/** The Markdown that the Web UI shows of a session. */
export function sessionDetails(run: SessionRun): string {
  const { title, live, queue, turns, turnCount, transcript, usage, ended } = run;
  const tokens = usage.inputTokens + usage.outputTokens;
  const doing = ended ? 'ended' : live ? `running ${live.turnId}` : 'idle';
  return [
    `**${escaped(title ?? run.sessionId)}** · ${escaped(doing)} · ${turnCount} turns · ${transcript.count} messages · ${tokens} tokens`,
    '',
    '| turn | agent | |',
    '|---|---|---|',
    ...turns.slice(-SHOWN_TURNS).map(({ turnId, agent, outcome }) => row(turnId, agent, outcome)),
    ...(live ? [row(live.turnId, live.agent, 'running')] : []),
    ...queue.slice(0, SHOWN_TURNS).map(({ id, request }) => row(run.turnIdOf(id), request.agent, 'waiting')),
  ].join('\n');
}

function row(turnId: string, agent: string, status: string): string {
  return `| ${escaped(turnId)} | ${escaped(agent)} | ${status} |`;
}

function escaped(text: string): string {
  return wireLine(text.slice(0, LINE_BYTES), LINE_BYTES).replace(/[|`\\<>[\]]/g, (char) => `\\${char}`);
}
