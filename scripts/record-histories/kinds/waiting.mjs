// Turns that wait for people, or for a time.
import { sleepUntil } from '../../../dist/index.js';
import { reply, text, toolCall } from '../../../dist/testing/index.js';
import { untilAsked } from '../people.mjs';
import { asking, tools } from '../recorded-tools.mjs';

async function untilAsleep(turn) {
  for await (const event of turn.events()) if (event.type === 'tool_started' && event.until) return;
}

export const waiting = {
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
};
