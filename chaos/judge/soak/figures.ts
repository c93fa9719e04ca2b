import type { Deed } from '../../records.js';
import type { RunSize } from '../chain.js';
import type { Memory } from './bounds.js';
import type { CountedMessages } from './count-messages.js';

type Judged = {
  messages: CountedMessages;
  sessionRuns: readonly RunSize[];
  turnRuns: readonly RunSize[];
  turns: readonly { ended: string; compactions: number }[];
  compactions: number;
};

export type Figures = Record<string, number>;

export function figuresOf(
  sessions: readonly Judged[],
  deeds: readonly Deed[],
  memory: Memory | undefined,
): Figures {
  const sum = (of: (session: Judged) => number) => sessions.reduce((all, session) => all + of(session), 0);
  const count = (kind: Deed['deed']) => deeds.filter(({ deed }) => deed === kind).length;
  const saidAs = (whileBusy: string) =>
    deeds.filter((deed) => deed.deed === 'said' && deed.whileBusy === whileBusy).length;
  const endedAs = (type: string) => sum(({ turns }) => turns.filter(({ ended }) => ended === type).length);
  const times = deeds.map(({ at }) => at);
  return {
    sessions: sessions.length,
    turns: sum(({ turns }) => turns.length),
    completed: endedAs('completed'),
    interrupted: endedAs('interrupted'),
    saidToQueue: saidAs('queue'),
    saidToSteer: saidAs('steer'),
    saidToReplace: saidAs('replace'),
    interrupts: count('session_interrupted'),
    kills: count('killed'),
    messages: sum(({ messages }) => messages.told),
    committed: sum(({ messages }) => messages.committed),
    compactions: sum(({ turns }) => turns.reduce((all, turn) => all + turn.compactions, 0)),
    compactionsBetweenTurns: sum(({ compactions }) => compactions),
    summaries: sum(({ messages }) => messages.summaries),
    sessionRuns: sum(({ sessionRuns }) => sessionRuns.length),
    ...mostOf(
      'session',
      sessions.flatMap(({ sessionRuns }) => sessionRuns),
    ),
    ...mostOf(
      'turn',
      sessions.flatMap(({ turnRuns }) => turnRuns),
    ),
    memoryFirstQuarter: megabytes(memory?.first),
    memoryLastQuarter: megabytes(memory?.last),
    memoryMost: megabytes(memory?.most),
    seconds: Math.round((Math.max(...times) - Math.min(...times)) / 1000),
  };
}

function mostOf(what: 'session' | 'turn', runs: readonly RunSize[]): Figures {
  return {
    [`${what}RunMostEvents`]: Math.max(0, ...runs.map(({ events }) => events)),
    [`${what}RunMostKilobytes`]: Math.ceil(Math.max(0, ...runs.map(({ bytes }) => bytes)) / 1000),
  };
}

function megabytes(bytes = 0): number {
  return Math.round(bytes / 1e6);
}

/** A table, a figure a line: `messagesTold` is shown as "messages told". */
export function shown(figures: Figures): string {
  const rows = Object.entries(figures).map(([name, value]) => {
    return [name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), String(value)] as const;
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value.padStart(10)}`).join('\n');
}
