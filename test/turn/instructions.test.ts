import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { instructionsFor } from '../../src/activities/instructions.js';
import { type Agent, defineAgent, type InstructionsFunction } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { UnusableFile } from '../../src/define/instruction-files.js';
import type { CallModelInput } from '../../src/shared/activities.js';
import { textOf } from '../../src/shared/messages.js';
import {
  attempts,
  fault,
  type Script,
  type ScriptedModel,
  scriptedModel,
  testTurn,
  text,
  toolCall,
  withWorker,
} from '../../src/testing/index.js';
import { gate } from './agents.js';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  idempotent: true,
  run: () => 'nothing new',
});

function agent(instructions: InstructionsFunction, options: { iterationsPerRun?: number } = {}): Agent {
  return defineAgent({ name: 'guide', instructions, model: scriptedModel([]), tools: [look], ...options });
}

function rounds(count: number): Script {
  return [...Array.from({ length: count }, () => toolCall('look', {})), text('Done.')];
}

/** What the model was told before the conversation, in each request. */
function told({ requests }: ScriptedModel): string[] {
  return requests.map(({ instructions, messages }) => {
    const [first] = messages;
    return instructions || (first?.role === 'system' ? textOf(first) : '');
  });
}

describe('instructions that are worked out for a turn', () => {
  test('are asked for once, with the prompt and the metadata, and stay the same', async () => {
    const asked: unknown[] = [];
    const changing: InstructionsFunction = async (turn) =>
      `Version ${asked.push(turn)} for ${turn.metadata['who']}.`;
    const model = scriptedModel(rounds(3));
    const { outcome, transcript, calls } = await testTurn(agent(changing), 'Where to?', {
      model,
      metadata: { who: 'Ada' },
    });
    expect(told(model)).toEqual(Array(4).fill('Version 1 for Ada.'));
    expect(asked).toEqual([
      {
        prompt: 'Where to?',
        turnId: outcome.turnId,
        metadata: { who: 'Ada' },
        signal: expect.any(AbortSignal),
      },
    ]);
    expect(transcript[0]).toMatchObject({ role: 'system', content: [{ text: 'Version 1 for Ada.' }] });
    expect(calls).toHaveLength(3);
  });

  test('are none of the messages that the turn added, and change no call ids', async () => {
    const model = scriptedModel([toolCall('look', {}, { id: 'one' }), text('Done.')]);
    const { outcome } = await testTurn(
      agent(() => 'Look first.'),
      'Go.',
      { model },
    );
    expect(outcome.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(outcome.messages[2]).toMatchObject({ content: [{ callId: 'one' }] });
  });

  test('go along into the next runs of a long turn', async () => {
    let asked = 0;
    const counting = () => `Asked ${++asked} times.`;
    const model = scriptedModel(rounds(4));
    const { outcome } = await testTurn(agent(counting, { iterationsPerRun: 2 }), 'Go.', { model });
    expect(told(model)).toEqual(Array(5).fill('Asked 1 times.'));
    expect(outcome.messages[0]).toMatchObject({ role: 'user' });
  });

  test('give way to those that the transcript or the turn brings', async () => {
    const never: InstructionsFunction = () => {
      throw new Error('asked all the same');
    };
    const model = scriptedModel(rounds(0));
    await testTurn(agent(never), 'Go.', { model, instructions: 'Be brief.' });
    expect(told(model)).toEqual(['Be brief.']);
  });

  test('are asked for again where they failed, or the model call did before it had answered', async () => {
    let asked = 0;
    const flaky = () => {
      asked += 1;
      if (asked === 1) throw new Error('no database');
      return `Asked ${asked} times.`;
    };
    // The first try fails before it gets to the model.
    const failsOnce = attempts(text('-'), fault({ status: 503, retryAfter: 0.001 }), toolCall('look', {}));
    const model = scriptedModel([failsOnce, text('Done.')]);
    await testTurn(agent(flaky), 'Go.', { model });
    expect(told(model)).toEqual(['Asked 2 times.', 'Asked 3 times.', 'Asked 3 times.']);
  });

  test.each([
    [() => 7 as unknown as string, 'they are no text but number'],
    [() => 'x'.repeat(600_000), 'they take 600000 bytes, and may take 500000'],
    [
      () => Promise.reject(new UnusableFile('the file AGENTS.md is no text')),
      'the file AGENTS.md is no text',
    ],
  ])('end the turn by name where they can be none', async (instructions, why) => {
    const model = scriptedModel([]);
    await expect(testTurn(agent(instructions), 'Go.', { model })).rejects.toMatchObject({
      type: 'Agent.InstructionsFailed',
      message: `The instructions of the agent "guide" could not be made: ${why}`,
    });
  });

  test('hold no interrupt up where they never come, and hear of it', async () => {
    const [asked, stopped] = [gate(), gate()];
    const never: InstructionsFunction = async ({ signal }) => {
      signal.addEventListener('abort', stopped.open);
      asked.open();
      return await new Promise<string>(() => {});
    };
    await withWorker(agent(never), async ({ start }) => {
      const turn = await start('Go.');
      await asked.opened;
      await turn.interrupt();
      expect(await turn.result()).toMatchObject({ type: 'interrupted', usage: { unknownCalls: 0 } });
      await stopped.opened;
    });
  });

  test('fail by name where they take too long', async () => {
    const never = () => new Promise<string>(() => {});
    const input = { turnId: 'late' } as CallModelInput;
    const late = instructionsFor(agent(never), input, [], new AbortController().signal, 1);
    await expect(late).rejects.toMatchObject({
      type: 'Agent.InstructionsFailed',
      message: expect.stringContaining('they were not there within 0.001 s'),
    });
  });
});
