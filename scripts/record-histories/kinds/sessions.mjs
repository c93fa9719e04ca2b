// Sessions, and turns of theirs.
import { text, toolCall } from '../../../dist/testing/index.js';
import { giving, openGate } from '../recorded-tools.mjs';

async function untilIdle(session) {
  while ((await session.state()).phase !== 'idle') await new Promise((resolve) => setTimeout(resolve, 50));
}

const goingOn = {
  script: [toolCall('gate'), text('one'), text('two')],
  options: { messagesPerRun: 2 },
  session: async (session, { untilBegun }) => {
    await session.send('recorded', 'one', { id: 'm1' });
    await untilBegun();
    await session.send('recorded', 'two', { id: 'm2' });
    await session.send('recorded', 'two', { id: 'm2' });
    await session.steer('left', { id: 's1' });
    openGate();
    await session.close();
  },
};

/** Compacted by the session itself, then by a turn, which has a share of its limits and the names of its artifacts. */
const compacted = {
  script: Array.from({ length: 20 }, () => (messages, { instructions }) => {
    if (instructions.startsWith('You write the memory')) return text('It was long.');
    const calls = { draw: 'draw', three: 'gate' };
    const { role, content } = messages.at(-1);
    const name = role === 'user' && calls[content[0].text];
    return name ? toolCall(name) : text('so long '.repeat(400));
  }),
  agent: { tools: giving },
  options: { limits: { tokens: 1_000_000, turns: 3 } },
  session: async (session, { untilBegun }) => {
    for (const id of ['m1', 'm2']) await (await session.send('recorded', 'draw', { id })).result();
    await untilIdle(session);
    await session.compact({ focus: 'all' });
    const held = untilBegun();
    await session.send('recorded', 'three', { id: 'm3' });
    await held;
    await session.compact();
    openGate();
    await untilIdle(session);
    await session.send('recorded', 'four', { id: 'm4' }).catch(() => undefined);
    await session.setLimits({ turns: null });
    await session.close();
  },
};

export const sessions = {
  'session-turns': {
    script: [toolCall('gate'), toolCall('wait'), text('instead'), text('in the end')],
    session: async (session, { untilBegun }) => {
      await session.send('recorded', 'one', { id: 'm1' });
      await untilBegun();
      await session.steer('left', { id: 's1' });
      await session.setTitle('Recorded');
      await session.send('recorded', 'later', { id: 'm2' });
      const again = untilBegun();
      openGate();
      await again;
      await session.steer('too late', { id: 's2' });
      await session.send('recorded', 'instead', { id: 'm3', whileBusy: 'replace' });
      await session.close();
    },
  },
  'session-cut': {
    script: [text('one'), text('two')],
    session: async (session) => {
      const first = await session.send('recorded', 'one', { id: 'm1' });
      await first.result();
      await untilIdle(session);
      const [message] = await session.transcript();
      await session.fork({ upTo: message.id }, { sessionId: 'recorded-fork' });
      await session.rollback({ before: message.id });
      await (await session.send('recorded', 'two', { id: 'm2' })).result();
      await session.close();
    },
  },
  'session-compacted': compacted,
  'session-turn-share': { ...compacted, child: 'm3' },
  // Of a session in several runs, the first one, which ends while a turn runs, and the last.
  'session-continued': { ...goingOn, run: 'first' },
  'session-carried': goingOn,
  'session-canceled': {
    script: [toolCall('wait')],
    session: async (session, { untilBegun, workflow }) => {
      await session.send('recorded', 'one', { id: 'm1' });
      await untilBegun();
      await workflow.getHandle(session.sessionId).cancel();
    },
  },
  'session-canceled-steered': {
    script: [toolCall('wait')],
    session: async (session, { untilBegun, workflow }) => {
      await session.send('recorded', 'one', { id: 'm1' });
      await untilBegun();
      await session.send('recorded', 'two', { id: 'm2' });
      await session.steer('left', { id: 's1' });
      await workflow.getHandle(session.sessionId).cancel();
    },
  },
  // One that replaces is itself replaced before it could begin.
  'session-replaced-twice': {
    script: [toolCall('gate'), text('in its place')],
    session: async (session, { untilBegun }) => {
      await session.send('recorded', 'one', { id: 'm1' });
      await untilBegun();
      for (const id of ['m2', 'm3']) await session.send('recorded', id, { id, whileBusy: 'replace' });
      await session.send('recorded', 'taken back', { id: 'm4' });
      await session.withdraw('m4');
      await session.close();
    },
  },
  // A turn that is given the messages of its session.
  'session-turn': {
    script: [toolCall('echo'), text('one'), text('two')],
    agent: { instructions: ({ prompt }) => `Record ${prompt}.` },
    session: async (session) => {
      await session.send('recorded', 'one', { id: 'm1' });
      await (await session.send('recorded', 'two', { id: 'm2' })).result();
      await session.close();
    },
    child: 'm2',
  },
};
