// Turns in several runs, and those whose transcript gets too long.
import { fault, reply, text, toolCall } from '../../../dist/testing/index.js';

const long = toolCall('echo', { text: 'so long '.repeat(10_000) });
const earlier = (id, role) => ({
  role,
  id,
  content: [{ type: 'text', id: `${id}.0`, text: 'said before '.repeat(300) }],
});

const some = toolCall('echo', { text: 'so long '.repeat(400) });
/** Seven replies and, in between, summaries, of which each third fails: what is asked shows which one it is. */
function compacting() {
  let summaries = 0;
  let calls = 0;
  const answer = (_messages, { instructions }) => {
    if (instructions.startsWith('You write the memory')) {
      summaries += 1;
      return summaries % 3 === 0 ? fault({ status: 401 }) : text('It was long.');
    }
    calls += 1;
    return reply(calls === 7 ? text('done') : some, { usage: null });
  };
  return Array.from({ length: 20 }, () => answer);
}

export const longTurns = {
  // Of a turn in several runs, the first and the last.
  'continued-plain': {
    script: [toolCall('echo'), text('done')],
    agent: { iterationsPerRun: 1 },
    run: 'first',
  },
  'continued-packed': { script: [long, long, text('done')], agent: { iterationsPerRun: 2 }, run: 'first' },
  'carried-plain': { script: [toolCall('echo'), text('done')], agent: { iterationsPerRun: 1 } },
  'carried-packed': { script: [long, long, text('done')], agent: { iterationsPerRun: 2 } },
  // Its opening is too long, then its rounds are; one summary fails.
  compacted: {
    script: compacting(),
    agent: { compaction: { window: 3000, to: 0.2 } },
    options: { transcript: [earlier('u1', 'user'), earlier('a1', 'assistant'), earlier('u2', 'user')] },
  },
  'carried-compacted': {
    script: compacting(),
    agent: { compaction: { window: 3000, to: 0.2 }, iterationsPerRun: 4 },
  },
  'dropped-rounds': { script: [long, long, text('done')], agent: { maxContextBytes: 100_000 } },
};
