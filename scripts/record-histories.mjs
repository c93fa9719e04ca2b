// Runs one turn of each kind and keeps its event history in test/replay/histories, where the tests replay it with
// the present workflow code. Run it (npm run record-histories) when a kind is new; a history that is there is the
// record of turns that are running somewhere, and stays as it is.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { z } from 'zod';
import {
  artifact,
  artifactInput,
  askUser,
  defineAgent,
  defineTool,
  mcpServer,
  remoteTool,
  retryable,
  sleepUntil,
} from '../dist/index.js';
import { fault, reply, scriptedModel, text, toolCall, withWorker } from '../dist/testing/index.js';
import { reportLostActivities } from '../dist/worker/lost-activities.js';

const folder = fileURLToPath(new URL('../test/replay/histories/', import.meta.url));
const untilStopped = (signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** Stacks name the paths of the machine that recorded, identities its host. */
function scrub(value) {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === 'stackTrace') value[key] = '';
    else if (key === 'identity') value[key] = 'recorder';
    else scrub(each);
  }
}

/** Told when the tool or the model that waits has begun. */
let begun = () => undefined;
/** Lets the tool `gate` go. */
let openGate = () => undefined;
const tool = (name, run, more = {}) =>
  defineTool({ name, description: name, input: z.object({ text: z.string().optional() }), run, ...more });
const tools = [
  tool('echo', ({ text: said }) => said ?? ''),
  tool('fail', () => Promise.reject(new Error('no')), { idempotent: true }),
  tool('alone', () => 'alone', { parallel: false }),
  tool('gate', () => {
    const opened = new Promise((resolve) => {
      openGate = () => resolve('open');
    });
    begun();
    return opened;
  }),
  tool('wait', (_args, { signal }) => {
    begun();
    return untilStopped(signal);
  }),
  tool(
    'pay',
    (_args, { signal }) => {
      begun();
      return untilStopped(signal);
    },
    { reconcile: () => 'paid' },
  ),
];
const more = [
  tool('busy', (_args, { attempt }) => (attempt === 1 ? Promise.reject(new Error('busy')) : 'ok'), {
    idempotent: true,
    retry: { attempts: 3, initialInterval: 1 },
    setup: () => 'set up',
    output: z.string(),
  }),
  tool('edit', ({ text: said }) => said ?? '', {
    parallel: false,
    concurrencyKey: ({ text: said }) => said?.charAt(0),
    approval: ({ text: said }) => (said?.startsWith('a') ? 'ask' : 'allow'),
  }),
];
const edit = (said) => toolCall('edit', { text: said });
const asking = [
  tool('asked', ({ text: said }) => said ?? '', { approval: 'ask' }),
  tool('asked_alone', () => 'alone', { approval: 'ask', parallel: false }),
  askUser(),
];
let tries = 0;
const inTask = { idempotent: true, execution: 'local' };
const local = [
  tool('quick', ({ text: said }) => said ?? '', inTask),
  tool('slow', (_args, { signal }) => untilStopped(signal), { ...inTask, timeout: 100 }),
  tool(
    'not_yet',
    () => {
      tries += 1;
      if (tries === 1) throw retryable(new Error('not yet'));
      return 'now';
    },
    inTask,
  ),
];
const FOREIGN_QUEUE = 'recorded-foreign';
const remote = (name) =>
  remoteTool({
    name,
    description: name,
    input: z.object({ text: z.string().optional() }),
    taskQueue: name === 'nobody' ? 'recorded-nobody' : FOREIGN_QUEUE,
    queueTimeout: 2000,
    ...(name === 'say_asked' && { approval: 'ask' }),
  });

const giving = [
  ...tools,
  tool('draw', () => artifact({ name: 'a.txt', data: 'drawn' })),
  defineTool({
    name: 'look',
    description: 'look',
    input: z.object({ at: artifactInput() }),
    run: ({ at }) => at.text(),
  }),
];
const final = (answer) => toolCall('final_answer', { answer });
const isB = (_answer, { text: said }) => said.includes('b') || 'say b';
/** Resolves with the ids of the calls that wait for people, once there are so many. */
async function untilAsked(turn, count) {
  const ids = [];
  for await (const event of turn.events()) {
    if (event.type === 'approval_requested' || event.type === 'question_asked') ids.push(event.callId);
    if (ids.length === count) return ids;
  }
  return ids;
}
async function untilAsleep(turn) {
  for await (const event of turn.events()) if (event.type === 'tool_started' && event.until) return;
}
const waiting = async (_messages) => {
  begun();
  return { ...reply(text('late')), delayMs: Number.POSITIVE_INFINITY };
};

const output = z.object({ a: z.string() });
const helper = (name, script) =>
  defineAgent({ name, description: name, instructions: 'Help.', model: scriptedModel(script), tools });
const ask = (name) => ({ ...toolCall(name, { task: 'help' }), id: name });
const helpers = [
  ...tools,
  helper('helps', [toolCall('echo', { text: 'x' }), text('helped')]),
  helper('fails', [fault({ status: 401 })]),
  helper('waits', [toolCall('wait')]),
  defineAgent({
    name: 'asks',
    description: 'asks',
    instructions: 'Help.',
    model: scriptedModel([reply(toolCall('asked', { text: 'x' }), toolCall('alone')), text('helped')]),
    tools: [...tools, ...asking],
  }),
];
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
/** Approves what the sub-agent `asks` waits for. */
async function decideBelow(turn) {
  for await (const { type, event } of turn.events()) {
    if (type !== 'sub_agent' || event.type !== 'approval_requested') continue;
    await turn.subAgent(event.turnId).approve(event.callId);
    return;
  }
}
const again = toolCall('echo', { text: 'again' });
const long = toolCall('echo', { text: 'so long '.repeat(10_000) });

const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const server = mcpServer('everything', { command: process.execPath, args: [everything] });

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

const kinds = {
  reply: { script: [text('hello')] },
  'tool-rounds': {
    script: [
      reply(
        text('a'),
        toolCall('echo', { text: 'x' }),
        toolCall('fail'),
        toolCall('alone'),
        toolCall('nope'),
      ),
      toolCall('echo', '{broken'),
      text('done'),
    ],
  },
  'iteration-limit': { script: [toolCall('echo')], options: { limits: { iterations: 1 } } },
  'transcript-and-instructions': {
    script: [toolCall('echo'), text('done')],
    options: {
      instructions: 'Be brief.',
      tenant: 'acme',
      metadata: { ticket: 7 },
      transcript: [
        {
          role: 'assistant',
          id: 'a',
          content: [{ type: 'tool_call', id: 'c', name: 'echo', arguments: '{}' }],
        },
      ],
    },
  },
  'failed-model': { script: [toolCall('echo'), fault({ status: 401 })] },
  'interrupted-tool': {
    script: [reply(toolCall('echo'), toolCall('wait'))],
    meanwhile: (turn) => turn.interrupt('enough'),
  },
  'interrupted-model': { script: [waiting], meanwhile: (turn) => turn.interrupt('enough') },
  'stopped-tool': {
    script: [reply(toolCall('wait'), toolCall('alone'))],
    meanwhile: async (turn) => {
      await turn.stop('enough');
      await turn.interrupt();
    },
  },
  'canceled-tool': { script: [toolCall('wait')], meanwhile: (turn) => turn.cancel() },
  steered: {
    script: [toolCall('gate'), text('so be it')],
    meanwhile: async (turn) => {
      await turn.steer('left, please');
      openGate();
    },
  },
  'lost-worker': { script: [toolCall('wait'), text('unknown')], loses: true },
  'lost-worker-reconciled': { script: [toolCall('pay'), text('paid')], loses: true },
  // Of a turn in several runs, the first and the last.
  'continued-plain': {
    script: [toolCall('echo'), text('done')],
    agent: { iterationsPerRun: 1 },
    run: 'first',
  },
  'continued-packed': { script: [long, long, text('done')], agent: { iterationsPerRun: 2 }, run: 'first' },
  'carried-plain': { script: [toolCall('echo'), text('done')], agent: { iterationsPerRun: 1 } },
  'carried-packed': { script: [long, long, text('done')], agent: { iterationsPerRun: 2 } },
  'asked-for-output': { script: [text('It is a.'), text('{}'), text('{"a":"a"}')], agent: { output } },
  'carried-output': {
    script: [text('It is a.'), text('{}'), text('{"a":"a"}')],
    agent: { output, iterationsPerRun: 1 },
  },
  'approved-and-denied': {
    script: [
      reply(
        toolCall('asked', { text: 'x' }),
        toolCall('asked_alone'),
        toolCall('echo', { text: 'meanwhile' }),
        toolCall('asked', { text: 'y' }),
        toolCall('ask_user', { question: 'Why?' }),
      ),
      toolCall('asked', { text: 'again' }),
      text('done'),
    ],
    agent: { tools: [...tools, ...asking] },
    asks: async (turn) => {
      const [first, alone, changed, question] = await untilAsked(turn, 4);
      await turn.answer(question, 'because');
      await turn.approve(changed, { arguments: { text: 'z' } });
      await turn.approve(first, { always: true });
      await turn.deny(alone, { reason: 'no' });
    },
  },
  'overdue-approval': {
    script: [reply(toolCall('asked'), toolCall('ask_user', { question: 'Why?' })), text('done')],
    agent: { tools: asking, approvalTimeout: '100 milliseconds' },
  },
  'interrupted-approval': {
    script: [reply(toolCall('asked'), toolCall('echo'))],
    agent: { tools: [...tools, ...asking], approvalTimeout: '1 day' },
    asks: async (turn) => {
      await untilAsked(turn, 1);
      await turn.interrupt('enough');
    },
  },
  'carried-permissions': {
    script: [toolCall('asked'), toolCall('asked'), text('done')],
    agent: { tools: asking, iterationsPerRun: 1 },
    asks: async (turn) => {
      const [callId] = await untilAsked(turn, 1);
      await turn.approve(callId, { always: true });
    },
  },
  'invalid-output': { script: [text('no'), text('no'), text('no'), text('no')], agent: { output } },
  'final-answer': {
    script: [text('a'), reply(toolCall('echo'), final('a')), final('a'), final('b')],
    agent: { finalAnswer: true, checks: [isB] },
  },
  'checked-answer': {
    script: [text('a'), toolCall('echo'), text('b')],
    agent: { checks: [isB], iterationsPerRun: 1 },
  },
  artifacts: {
    script: [
      reply(toolCall('draw'), toolCall('draw')),
      toolCall('look', { at: 'b.txt' }),
      toolCall('look', { at: 'a-2.txt' }),
      text('done'),
    ],
    agent: { tools: giving },
  },
  'carried-artifacts': {
    script: [toolCall('draw'), toolCall('draw'), toolCall('look', { at: 'a-2.txt' }), text('done')],
    agent: { tools: giving, iterationsPerRun: 3 },
  },
  'sub-agents': {
    script: [reply(ask('helps'), ask('fails'), toolCall('echo')), text('done')],
    agent: { tools: helpers },
  },
  'sub-agent': { script: [ask('helps'), text('done')], agent: { tools: helpers }, child: 'helps' },
  'interrupted-sub-agent': {
    script: [ask('waits')],
    agent: { tools: helpers },
    meanwhile: (turn) => turn.interrupt('enough'),
  },
  'mcp-tools': {
    script: [
      reply(toolCall('everything__echo', { message: 'x' }), toolCall('everything__nope')),
      text('done'),
    ],
    agent: { tools: [...tools, server] },
  },
  hooks: {
    script: [
      reply(ask('helps'), toolCall('echo', { text: 'x' }), toolCall('echo', { text: 'push' })),
      toolCall('alone'),
      text('done'),
    ],
    agent: {
      tools: helpers,
      hooks: [
        {
          name: 'guard',
          beforeModelCall: () => ({ append: 'Be brief.' }),
          beforeToolCall: ({ name, arguments: { text: said } }) => {
            if (said === 'push') return { block: 'no pushes' };
            return name === 'helps' ? { arguments: { task: 'something else' } } : undefined;
          },
          afterToolCall: ({ text: said }) => ({ result: `${said}, as it was seen` }),
          afterTurn: (_turn, { note }) => note('it has ended'),
        },
      ],
    },
  },
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
  'loop-detected': {
    script: [again, again, again, again],
    agent: { loopGuard: { tellAfter: 2, stopAfter: 4 }, closing: 'answer' },
  },
  'closing-answer': {
    script: [toolCall('echo'), text('so far')],
    agent: { closing: 'answer', limits: { iterations: 1 } },
  },
  'closing-failed': {
    script: [toolCall('echo'), fault({ status: 401 })],
    agent: { closing: 'answer', limits: { iterations: 1 } },
  },
  'carried-planning': {
    script: [
      text('plan'),
      toolCall('echo'),
      text('plan again'),
      toolCall('echo', { text: 'x' }),
      text('done'),
    ],
    agent: { planning: { every: 1 }, iterationsPerRun: 1 },
  },
  'token-budget': { script: [again, again], options: { limits: { tokens: 1 } } },
  'time-limit': {
    script: [reply(toolCall('echo'), toolCall('wait'))],
    options: { limits: { time: 1000 } },
  },
  'time-held': {
    script: [toolCall('asked'), text('done')],
    agent: { tools: asking, limits: { time: '1 hour' } },
    asks: async (turn) => {
      const [callId] = await untilAsked(turn, 1);
      await turn.approve(callId);
    },
  },
  slept: {
    script: [
      reply(toolCall('sleep_until', { until: '1 second' }), toolCall('echo')),
      toolCall('sleep_until', { until: '2020-01-01' }),
      text('done'),
    ],
    agent: { tools: [...tools, sleepUntil()], limits: { time: '1 hour' } },
  },
  woken: {
    script: [toolCall('sleep_until', { until: '3 days' }), text('done')],
    agent: { tools: [sleepUntil()] },
    asks: async (turn) => {
      await untilAsleep(turn);
      await turn.steer('wake up');
    },
  },
  'interrupted-sleep': {
    script: [reply(toolCall('sleep_until', { until: '3 days' }), toolCall('echo'))],
    agent: { tools: [...tools, sleepUntil()] },
    asks: async (turn) => {
      await untilAsleep(turn);
      await turn.interrupt('enough');
    },
  },
  'shared-budget': {
    script: [reply(ask('helps'), ask('fails')), text('done')],
    agent: { tools: helpers, limits: { tokens: 10_000, time: '1 hour' } },
  },
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
  'local-tools': {
    script: [
      reply(toolCall('quick', { text: 'x' }), toolCall('echo'), toolCall('slow'), toolCall('not_yet')),
      toolCall('quick'),
      text('done'),
    ],
    agent: { tools: [...tools, ...local] },
  },
  'remote-tools': {
    script: [
      reply(
        toolCall('say', { text: 'x' }),
        toolCall('show'),
        toolCall('throws'),
        toolCall('nobody'),
        toolCall('say_asked'),
      ),
      text('done'),
    ],
    agent: { tools: ['say', 'show', 'throws', 'nobody', 'say_asked'].map(remote) },
    foreign: {
      say: ({ text: said }) => said ?? 'nothing',
      show: () => ({ type: 'image', mediaType: 'image/png', data: 'aGk=' }),
      throws: () => Promise.reject(new Error('no')),
      say_asked: ({ text: said }) => said,
    },
    asks: async (turn) => {
      const [callId] = await untilAsked(turn, 1);
      await turn.approve(callId, { arguments: { text: 'better' } });
    },
  },
  'asked-sub-agents': {
    script: [reply(ask('helps'), ask('asks'), ask('fails'), toolCall('echo')), text('done')],
    agent: { tools: helpers, permissions: { allow: ['echo', 'asks'], deny: ['alone'] } },
    asks: async (turn) => {
      await untilAsked(turn, 2);
      await turn.deny('fails', { reason: 'no' });
      await turn.approve('helps', { arguments: { task: 'something else' } });
      await decideBelow(turn);
    },
  },
  'asking-sub-agent': {
    script: [ask('asks'), text('done')],
    agent: { tools: helpers, permissions: { allow: ['asks'], deny: ['alone'] } },
    asks: (turn) => decideBelow(turn),
    child: 'asks',
  },
  'asked-mcp-tools': {
    script: [
      toolCall('find_tools', { query: 'echo' }),
      reply(toolCall('everything__echo', { message: 'x' }), toolCall('everything__echo', { message: 'y' })),
      text('done'),
    ],
    agent: {
      tools: [...tools, server],
      findToolsBeyond: 0,
      permissions: { ask: ['find_tools', 'everything:echo'] },
    },
    asks: async (turn) => {
      const [found] = await untilAsked(turn, 1);
      await turn.approve(found);
      const [, one, other] = await untilAsked(turn, 3);
      await turn.approve(other, { arguments: { message: 'z' } });
      await turn.deny(one);
    },
  },
  'retried-tool': { script: [toolCall('busy'), text('done')], agent: { tools: more } },
  'keyed-calls': {
    script: [
      reply(edit('b1'), edit('c1'), edit('b2'), edit('c2')),
      reply(edit('a1'), edit('b1'), edit('a2'), edit('b2')),
      text('done'),
    ],
    agent: { tools: more },
    asks: async (turn) => {
      const [first, second] = await untilAsked(turn, 2);
      await turn.approve(second);
      await turn.approve(first, { arguments: { text: 'changed' } });
    },
  },
  'dropped-rounds': { script: [long, long, text('done')], agent: { maxContextBytes: 100_000 } },
};

async function record(name, kind) {
  const { script, options = {}, agent: more, run, meanwhile, asks, loses, child } = kind;
  const { session, foreign } = kind;
  const agent = defineAgent({
    name: 'recorded',
    instructions: 'Record.',
    model: scriptedModel(script),
    tools,
    ...more,
  });
  const started = new Promise((resolve) => {
    begun = resolve;
  });
  const running = new Map();
  const onActivity = (report) =>
    report.type === 'activity_started' ? running.set(report.token, report) : running.delete(report.token);
  await withWorker(
    agent,
    async ({ start, client, taskQueue, worker: { options: made } }) => {
      const other =
        foreign &&
        (await Worker.create({
          connection: made.connection,
          taskQueue: FOREIGN_QUEUE,
          activities: foreign,
        }));
      const ended = other?.run();
      const turn = session
        ? await goThrough(session, client, client.session(`recorded-${name}`, { taskQueue, ...options }))
        : await start('go on', options);
      if (meanwhile || loses) await started;
      if (loses) await reportLostActivities(client.client, [...running.values()], 'recording');
      await meanwhile?.(turn);
      await asks?.(turn);
      await turn.result().catch(() => undefined);
      const { workflow } = client.client;
      const last = await workflow.getHandle(child ? `${turn.turnId}/${child}` : turn.turnId).fetchHistory();
      const { firstExecutionRunId } = last.events[0].workflowExecutionStartedEventAttributes;
      const history =
        run === 'first' ? await workflow.getHandle(turn.turnId, firstExecutionRunId).fetchHistory() : last;
      scrub(history);
      // Protobuf, as Temporal itself keeps it: the SDK's JSON form of a history can't be written (1.24).
      other?.shutdown();
      await ended;
      writeFileSync(`${folder}${name}.bin`, proto.temporal.api.history.v1.History.encode(history).finish());
    },
    { onActivity },
  );
}

/** Of a session: what is done to it, and its end. Looks like a turn, as far as recording goes. */
async function goThrough(during, client, session) {
  const untilBegun = () =>
    new Promise((resolve) => {
      begun = resolve;
    });
  const { workflow } = client.client;
  await during(session, { untilBegun, workflow });
  return { turnId: session.sessionId, result: () => workflow.getHandle(session.sessionId).result() };
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
mkdirSync(folder, { recursive: true });
for (const [name, kind] of Object.entries(kinds)) {
  if (existsSync(`${folder}${name}.bin`)) continue;
  await record(name, kind);
  console.log(`recorded ${name}`);
}
process.exit(0);
