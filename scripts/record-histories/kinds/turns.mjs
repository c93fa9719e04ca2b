// What a turn by itself does: its rounds, its answer, and the limits that end it.
import { z } from 'zod';
import { fault, reply, text, toolCall } from '../../../dist/testing/index.js';

const output = z.object({ a: z.string() });
const final = (answer) => toolCall('final_answer', { answer });
const isB = (_answer, { text: said }) => said.includes('b') || 'say b';
const again = toolCall('echo', { text: 'again' });

export const turns = {
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
  'asked-for-output': { script: [text('It is a.'), text('{}'), text('{"a":"a"}')], agent: { output } },
  'carried-output': {
    script: [text('It is a.'), text('{}'), text('{"a":"a"}')],
    agent: { output, iterationsPerRun: 1 },
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
  'iteration-limit': { script: [toolCall('echo')], options: { limits: { iterations: 1 } } },
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
  'token-budget': { script: [again, again], options: { limits: { tokens: 1 } } },
  'time-limit': {
    script: [reply(toolCall('echo'), toolCall('wait'))],
    options: { limits: { time: 1000 } },
  },
};
