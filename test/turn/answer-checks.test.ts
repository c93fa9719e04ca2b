import { describe, expect, test } from 'vitest';
import type { AnswerCheck } from '../../src/define/answer-checks.js';
import type { Json } from '../../src/shared/json.js';
import { textOf } from '../../src/shared/messages.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { subAgent } from '../sub-agents/agents.js';
import { aborted, gate, rolesOf, textOfResult } from './agents.js';
import { fits, json, outputTurn, prose, untilAsked } from './output-turn.js';

const inWords = true;
const given = (said: Json) => toolCall('final_answer', { answer: said });

/** Lets pass what has a 2 in it. */
const hasTwo: AnswerCheck = (_answer, context) => context.text.includes('2') || 'There is no 2 in it.';

test('an answer in words that a check refuses goes back with what it says, and the tools stay at hand', async () => {
  const script = [text('1'), toolCall('echo', { text: 'a' }), text('2')];
  const { outcome, transcript, bodies } = await outputTurn(script, {
    inWords,
    agent: { checks: [hasTwo] },
  });
  expect(outcome).toMatchObject({ type: 'completed', text: '2', iterations: 3 });
  expect(transcript[2]).toMatchObject({ role: 'user' });
  expect(transcript[2] && textOf(transcript[2])).toBe(
    'Error: your answer was not accepted. The check hasTwo failed: There is no 2 in it.\nGo on, and then give your final answer again.',
  );
  expect(bodies[1]?.tool_choice).toBeUndefined();
});

test('an output is checked as the value that it is; prose is asked for as JSON before that', async () => {
  const seen: unknown[] = [];
  const resolved: AnswerCheck = (answer) => {
    seen.push(answer);
    return seen.length > 1 || 'Look again.';
  };
  const agent = { checks: [resolved] };
  const { outcome, bodies } = await outputTurn([json, prose, json], { agent });
  expect(outcome).toMatchObject({ type: 'completed', output: fits, iterations: 3 });
  expect(seen).toEqual([fits, fits]);
  expect(bodies.map(({ tool_choice }) => tool_choice)).toEqual([undefined, undefined, 'none']);
});

// SM-082
test("an answer by the tool is refused as that call's result; the first check that fails is the last", async () => {
  const asked: string[] = [];
  const throws: AnswerCheck = (answer) => {
    asked.push('throws');
    if (answer === '1') throw new Error('too short');
    return true;
  };
  const says: AnswerCheck = () => asked.push('says') > 3 || '';
  const agent = { finalAnswer: true, checks: [throws, says] };
  const { outcome, transcript } = await outputTurn([given('1'), given('12'), given('123')], {
    inWords,
    agent,
  });
  expect(outcome).toMatchObject({ type: 'completed', text: '123', iterations: 3 });
  expect(asked).toEqual(['throws', 'throws', 'says', 'throws', 'says']);
  const results = transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
  expect(results.map(({ status, cause }) => cause ?? status)).toEqual([
    'answer_refused',
    'answer_refused',
    'ok',
  ]);
  expect(textOfResult(results[0])).toContain('The check throws failed: too short');
  expect(textOfResult(results[1])).toContain('The check says failed: it returned a value of the type string');
});

// SM-083, with its deviation
test.each([
  ['in words', text('1'), false],
  ['by the tool', given('1'), true],
])(
  'an answer %s that is refused at the limit ends the turn as max_iterations',
  async (_name, said, finalAnswer) => {
    const agent = { finalAnswer, checks: [hasTwo], limits: { iterations: 1 } };
    const { outcome } = await outputTurn([said], { inWords, agent });
    expect(outcome).toMatchObject({ type: 'max_iterations', text: '1', iterations: 1 });
    expect(outcome.output).toBeUndefined();
  },
);

test('a check sees the transcript up to the answer, over several runs of the workflow', async () => {
  let roles: string[] = [];
  const looks: AnswerCheck = (_answer, { transcript }) => {
    roles = rolesOf(transcript);
    return roles.length > 5 || 'Look again.';
  };
  const agent = { checks: [looks], iterationsPerRun: 1 };
  const { outcome } = await outputTurn([toolCall('echo', { text: 'a' }), text('1'), text('2')], {
    inWords,
    agent,
  });
  expect(outcome).toMatchObject({ type: 'completed', text: '2', iterations: 3 });
  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']);
});

describe('while a check runs', () => {
  test.each([
    ['in words', text('1'), false],
    ['by the tool', given('1'), true],
  ])('an interrupt stops it, and the answer %s does not count', async (_name, said, finalAnswer) => {
    const begun = gate();
    const waits: AnswerCheck = async (_answer, { signal }) => {
      begun.open();
      await aborted(signal);
      return true;
    };
    const { outcome, transcript } = await outputTurn([said], {
      inWords,
      agent: { finalAnswer, checks: [waits] },
      during: async ({ turn }) => {
        await begun.opened;
        await turn.interrupt('enough');
      },
    });
    expect(outcome).toMatchObject({ type: 'interrupted', text: '1', iterations: 1 });
    const results = transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(results.map(({ status }) => status)).toEqual(finalAnswer ? ['interrupted'] : []);
  });

  test('a steer is heard with what the check says', async () => {
    const [begun, goOn] = [gate(), gate()];
    const waits: AnswerCheck = async (answer) => {
      begun.open();
      await goOn.opened;
      return answer === '2' || 'Say 2.';
    };
    const { outcome, transcript } = await outputTurn([text('1'), text('2')], {
      inWords,
      agent: { checks: [waits] },
      during: async ({ turn }) => {
        await begun.opened;
        await turn.steer('in digits');
        goOn.open();
      },
    });
    expect(outcome).toMatchObject({ type: 'completed', text: '2', iterations: 2 });
    expect(rolesOf(transcript)).toEqual(['user', 'assistant', 'user', 'user', 'assistant']);
  });
});

test.each([
  ['in words', text('2'), false],
  ['by the tool', given('2'), true],
])(
  'after a soft stop no check of an answer %s is begun, and what none has passed is not completed',
  async (_name, said, finalAnswer) => {
    const goOn = gate();
    const held = async () => {
      await goOn.opened;
      return said;
    };
    const { outcome } = await outputTurn([held], {
      inWords,
      agent: { finalAnswer, checks: [hasTwo] },
      during: async ({ turn, server }) => {
        await untilAsked(server, 1);
        await turn.stop('shift ends');
        goOn.open();
      },
    });
    expect(outcome).toMatchObject({ type: 'interrupted', text: '2', iterations: 1 });
  },
);

test("a sub-agent's answer by the tool, once its check lets it pass, is the result of its call", async () => {
  const model = scriptedModel([given('1'), given('It is 42.')]);
  const helper = subAgent('helper', [], { model, finalAnswer: true, checks: [hasTwo] });
  const { outcome, transcript } = await outputTurn([toolCall('helper', { task: 'What is it?' }), json], {
    agent: { tools: [helper] },
  });
  expect(outcome.type).toBe('completed');
  const [, , results] = transcript;
  expect(results?.role === 'tool' && textOfResult(results.content[0])).toBe('It is 42.');
});
