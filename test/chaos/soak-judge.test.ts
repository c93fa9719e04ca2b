import type { Message } from 'holdfast/client';
import { describe, expect, test } from 'vitest';
import { boundProblems, memoryOf, memoryProblems } from '../../chaos/judge/soak/bounds.js';
import { endedProblems } from '../../chaos/judge/soak/count-ended.js';
import { countMessages } from '../../chaos/judge/soak/count-messages.js';
import type { SessionRecord, TurnRecord } from '../../chaos/judge/soak/record.js';
import type { Deed, Said } from '../../chaos/records.js';

const user = (id: string, text = `[[s/${id}]]`): Message => {
  return { role: 'user', id: `u-${id}`, content: [{ type: 'text', id: `u-${id}.0`, text }] };
};
const answer = (id: string): Message => {
  return { role: 'assistant', id, content: [{ type: 'text', id: `${id}.0`, text: 'Done.' }] };
};
const asking = (id: string, callId: string): Message => {
  return {
    role: 'assistant',
    id,
    content: [{ type: 'tool_call', id: callId, name: 'look', arguments: '{}' }],
  };
};
const results = (callId: string, text: string): Message => {
  const content = [{ type: 'text' as const, id: `${callId}.0`, text }];
  return {
    role: 'tool',
    id: `r-${callId}`,
    content: [{ type: 'tool_result', callId, name: 'look', status: 'ok', content }],
  };
};
/** Stands for the messages of the archive of that name. */
const summary = (archive: string, count: number, from: string, to: string): Message => {
  const covers = { from, to, count, artifact: { sha256: archive, bytes: 1 } };
  return { ...user(archive, 'In short.'), covers } as Message;
};

const turn = (id: string, keys: string[]): TurnRecord => {
  const committed = keys.map((key) => ({
    kind: key.startsWith('s/') ? ('said' as const) : ('reply' as const),
    key,
  }));
  return { turnId: `s/${id}`, ended: 'completed', committed, results: [], compactions: 0, covers: [] };
};
const TURNS = [turn('m1', ['s/m1', 'a1']), turn('m2', ['s/m2', 'a2']), turn('m3', ['s/m3', 's/m4', 'a3'])];
const WHOLE = [...[user('m1'), answer('a1'), user('m2'), answer('a2'), user('m3'), user('m4'), answer('a3')]];

function session(transcript: Message[], turns = TURNS): SessionRecord {
  return {
    sessionId: 's',
    ended: 'completed',
    turns,
    sessionRuns: [],
    turnRuns: [],
    transcript,
    compactions: 0,
  };
}

function said(id: string, whileBusy: Said['whileBusy'] = 'queue', answer: Said['answer'] = 'queued'): Said {
  return { deed: 'said', sessionId: 's', id, whileBusy, answer };
}
const SAID = [said('m1'), said('m2'), said('m3'), said('m4', 'steer', 'steered')];

function judge(
  transcript: Message[],
  {
    turns = TURNS,
    sent = SAID,
    archives = {},
  }: Partial<{ turns: TurnRecord[]; sent: Said[]; archives: Record<string, Message[]> }> = {},
) {
  const { lost, doubled, disordered, refused } = countMessages(
    session(transcript, turns),
    sent,
    (name) => archives[name],
  );
  return { lost, doubled, disordered, refused };
}

const FINE = { lost: [], doubled: [], disordered: [], refused: [] };

describe('of the messages of a session the judge', () => {
  test('finds nothing wrong with a transcript that tells all that was committed', () => {
    expect(judge(WHOLE)).toEqual(FINE);
  });

  test('finds a message that is lost, and one that people were told was taken', () => {
    const sent = [...SAID, said('m5', 'steer', 'taken'), said('m6', 'steer', 'no_answer')];
    expect(judge(WHOLE.toSpliced(2, 1), { sent }).lost).toEqual([
      ...['s/m2 is nowhere in the transcript', 's/m5 is nowhere in the transcript'],
    ]);
  });

  test('finds one that is told twice, that is committed by two turns, or by none', () => {
    expect(judge([...WHOLE, { ...user('m1'), id: 'u-again' }]).doubled).toEqual([
      's/m1 is told more than once',
    ]);
    expect(judge([...WHOLE, answer('a9')]).doubled).toEqual(['a9 is told and was never committed']);
    const turns = [...TURNS, turn('m5', ['s/m4'])];
    expect(judge(WHOLE, { turns }).doubled).toEqual(['s/m4 is committed more than once']);
  });

  test('finds turns in another order than they were run in', () => {
    const swapped = [...WHOLE.slice(2, 4), ...WHOLE.slice(0, 2), ...WHOLE.slice(4)];
    expect(judge(swapped).disordered).toEqual([
      's: s/m1 comes after a2, and was committed before it',
      's: a1 comes after s/m1, and was committed before it',
    ]);
  });

  test('finds turns that were run in another order than they were sent in', () => {
    const sent = [said('m2'), said('m1'), said('m3'), said('m4', 'steer', 'steered')];
    expect(judge(WHOLE, { sent }).disordered).toEqual([
      's: m1 (queue) comes before m2, after whose answer it was sent',
    ]);
  });

  test('finds a result that is missing, or told otherwise than it was recorded', () => {
    const turns = [
      { ...turn('m1', ['s/m1', 'a1', 'a2']), results: [{ callId: 'c', replyId: 'a1', text: 'seen' }] },
    ];
    const called = (text: string) => [user('m1'), asking('a1', 'c'), results('c', text), answer('a2')];
    const sent = [said('m1')];
    expect(judge(called('seen'), { turns, sent })).toEqual(FINE);
    expect(judge(called('blind'), { turns, sent }).lost).toEqual(['s/m1 c: its result is told as: blind']);
    const missing = judge(called('seen').toSpliced(2, 1), { turns, sent });
    expect(missing.lost).toEqual(['a1: calls c, results of ', 's/m1 c: its result is told as: undefined']);
    expect(missing.refused).toEqual([expect.stringContaining('missing_result')]);
  });
});

describe('of summaries the judge', () => {
  const older = WHOLE.slice(0, 3);

  test('finds what the next turn is given to stand for less than was said, or for more', () => {
    const lostOf = (given: Message[]) => countMessages({ ...session(WHOLE), given }, SAID, () => older).lost;
    const short = summary('one', 3, 'u-m1', 'u-m2');
    expect(lostOf([short, ...WHOLE.slice(3)])).toEqual([]);
    expect(lostOf([short, ...WHOLE.slice(4)])).toEqual(['s: a2 is not in what the next turn is given']);
    expect(lostOf([short, ...WHOLE.slice(2)])).toEqual([
      's: u-m2 is in what the next turn is given more than once',
    ]);
    expect(lostOf([short, ...WHOLE.slice(3), answer('a9')])).toEqual([
      's: the next turn is given a9, which is no message',
    ]);
  });

  test('takes what they stand for as told, summaries of summaries too, and the last word of a person that stays outside', () => {
    const archives = { one: older, two: [summary('one', 3, 'u-m1', 'u-m2'), answer('a2'), user('m4')] };
    const compacted = [user('m3'), summary('two', 5, 'u-m1', 'u-m4'), answer('a3')];
    expect(judge(compacted, { archives })).toEqual(FINE);
  });

  test('finds one whose messages are not kept, are others, or are not as many', () => {
    const rest = WHOLE.slice(3);
    expect(judge([summary('one', 3, 'u-m1', 'u-m2'), ...rest]).lost[0]).toContain(
      'is not in the artifact store',
    );
    const archives = { one: older.slice(0, 2) };
    expect(judge([summary('one', 3, 'u-x', 'u-y'), ...rest], { archives }).lost).toEqual([
      'summary u-one: it stands for 3 messages, its artifact has 2',
      'summary u-one: its artifact has neither u-x nor u-y, between which it stands',
      's/m2 is nowhere in the transcript',
    ]);
  });

  test('finds one of a turn whose messages are not those of the session', () => {
    const covers = [{ from: 'u-m1', to: 'u-m9', count: 2, artifact: { sha256: 'one' } }];
    const turns = [...TURNS.slice(0, 2), { ...turn('m3', ['s/m3', 's/m4', 'a3']), covers }];
    expect(judge(WHOLE, { turns, archives: { one: [user('m1'), user('m9')] } }).lost).toEqual([
      "s/m3: u-m9 is in a summary's range, and not in the session",
    ]);
  });
});

describe('of ends and bounds the judge', () => {
  const deeds: Deed[] = SAID.map((each) => ({ ...each, at: 1 }));

  test('finds a session or a turn that is open, was never started, or was interrupted by nobody', () => {
    expect(endedProblems(session([]), deeds)).toEqual([]);
    const rest = TURNS.slice(1);
    const cut = { ...turn('m1', []), ended: 'interrupted' };
    const interrupt: Deed = { deed: 'session_interrupted', at: 1, sessionId: 's' };
    expect(endedProblems({ ...session([], rest), ended: 'open' }, deeds)).toEqual([
      ...['s is open', 's/m1 was never started'],
    ]);
    const interrupted = session([], [cut, ...rest]);
    expect(endedProblems(interrupted, deeds)).toEqual(['s/m1 ended as interrupted']);
    expect(endedProblems(interrupted, [...deeds, interrupt])).toEqual([]);
  });

  test('finds a run whose history is too long or too big', () => {
    const runs = [
      { workflowId: 's', events: 500, bytes: 1000 },
      { workflowId: 's', events: 700, bytes: 1000 },
      { workflowId: 's/m1', events: 10, bytes: 7_000_000 },
    ];
    expect(boundProblems(runs, 10)).toEqual([
      'a run of s has 700 events, more than 600',
      'a run of s/m1 has 7000000 bytes, more than 6000000',
    ]);
  });

  test('finds memory that grows, in a process that has lived long enough to tell', () => {
    const lines = (growth: number, everyMs: number) =>
      Array.from({ length: 101 }, (_, index) => {
        return { at: index * everyMs, pid: 7, rss: 200_000_000 + index * growth };
      });
    const problems = (growth: number, everyMs: number) => memoryProblems(memoryOf(lines(growth, everyMs), 7));
    expect(problems(0, 10_000)).toEqual([]);
    expect(problems(3_000_000, 10_000)).toEqual([expect.stringContaining('bytes at first')]);
    expect(problems(3_000_000, 100)).toEqual([]);
    expect(memoryProblems(memoryOf(lines(0, 1), 8))).toHaveLength(1);
  });
});
