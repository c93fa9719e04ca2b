import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { Receipt } from '../../src/shared/interventions.js';
import { textOf } from '../../src/shared/messages.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { gate, heldReply } from '../turn/agents.js';
import { type Case, endedTurn, type RunningCase, shapeOf, untilAsked, untilReceipt } from './ended-turn.js';
import { heldTool } from './tools.js';

const rawHandle = ({ client, turn }: RunningCase): WorkflowHandle =>
  client.client.workflow.getHandle(turn.turnId);

/** A turn of one tool round, to which something is sent while the tool runs. */
async function duringTool(send: (running: RunningCase) => Promise<unknown>, more: Partial<Case> = {}) {
  const hold = heldTool();
  return await endedTurn(
    { script: [toolCall('hold'), text('done')], tools: [hold.tool], ...more },
    async (running) => {
      await hold.running;
      await send(running);
      hold.release();
    },
  );
}

describe('a steer', () => {
  test('joins before the next model call, after the batch that runs, in the order of coming', async () => {
    const { outcome, transcript, modelCalls } = await duringTool(async ({ turn }) => {
      await turn.steer('first', { id: 's1', by: 'ann' });
      await turn.steer('second', { id: 's2' });
    });
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(shapeOf(transcript)).toBe('user, assistant, tool, user, user, assistant');
    expect(transcript.slice(3, 5).map(textOf)).toEqual(['first', 'second']);
    expect(modelCalls).toBe(2);
  });

  test('is on the wire of the next model call', async () => {
    let asked = '';
    const second = (messages: readonly { role: string }[]) => {
      asked = messages.map(({ role }) => role).join(', ');
      return text('done');
    };
    await duringTool(({ turn }) => turn.steer('left, please'), { script: [toolCall('hold'), second] });
    expect(asked).toBe('user, assistant, tool, user');
  });

  test('joins once, though it is sent three times under one id, by signal and by update', async () => {
    const { transcript } = await duringTool(async (running) => {
      await running.turn.steer('left', { id: 's1' });
      await running.turn.steer('left', { id: 's1' });
      const again = { v: 1, id: 's1', message: 'left' };
      const receipt = await rawHandle(running).executeUpdate<Receipt, [object]>('steer', { args: [again] });
      expect(receipt).toEqual({ v: 1, id: 's1', kind: 'steer', status: 'accepted', duplicate: true });
    });
    expect(transcript.map(textOf).filter((each) => each === 'left')).toHaveLength(1);
  });

  test('by update alone joins, too', async () => {
    const { transcript } = await duringTool((running) =>
      rawHandle(running).executeUpdate('steer', { args: [{ v: 1, message: 'left' }] }),
    );
    expect(textOf(transcript[3] ?? { role: 'user', id: '', content: [] })).toBe('left');
  });

  test('during the last reply makes one more model call', async () => {
    const last = heldReply('done');
    const { outcome, transcript, modelCalls } = await endedTurn(
      { script: [last.entry, text('so be it')] },
      async ({ turn, server }) => {
        await untilAsked(server, 1);
        await turn.steer('one more thing', { id: 's1' });
        await untilReceipt(turn, 's1', 'accepted');
        last.answer();
      },
    );
    expect(outcome).toMatchObject({ type: 'completed', text: 'so be it' });
    expect(shapeOf(transcript)).toBe('user, assistant, user, assistant');
    expect(modelCalls).toBe(2);
  });

  test('at the iteration limit is handed back', async () => {
    const { outcome, transcript } = await duringTool(
      ({ turn }) => turn.steer('too late', { id: 's1', by: 'ann' }),
      {
        turn: { limits: { iterations: 1 } },
      },
    );
    expect(outcome).toMatchObject({
      type: 'max_iterations',
      undelivered: [{ id: 's1', message: 'too late', by: 'ann' }],
    });
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
  });

  test.each(['interrupt', 'stop'] as const)('that waits is handed back at an end by %s', async (kind) => {
    const { outcome, transcript, events } = await duringTool(async ({ turn }) => {
      await turn.steer('left', { id: 's1' });
      await turn[kind]();
    });
    expect(outcome).toMatchObject({ type: 'interrupted', undelivered: [{ id: 's1', message: 'left' }] });
    expect(transcript.map(textOf)).not.toContain('left');
    expect(events.map(({ type }) => type)).not.toContain('steered');
  });

  test('is told to those who watch when it joins', async () => {
    const { events } = await duringTool(({ turn }) => turn.steer('left', { id: 's1', by: 'ann' }));
    const types = events.map(({ type }) => type);
    expect(types.indexOf('steered')).toBe(types.lastIndexOf('model_started') - 1);
    expect(events.find(({ type }) => type === 'steered')).toMatchObject({
      steer: { id: 's1', message: 'left', by: 'ann' },
    });
  });

  test('with half a character reaches the provider as text that it takes', async () => {
    const { outcome } = await duringTool((running) =>
      rawHandle(running).signal('steer', { v: 1, id: 'half \ud800', message: 'half \ud83d' }),
    );
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  });
});

describe('receipts', () => {
  test('tell of a steer that it was accepted, and later that the model has had it', async () => {
    const hold = heldTool();
    const last = heldReply('done');
    await endedTurn(
      { script: [toolCall('hold'), last.entry], tools: [hold.tool] },
      async ({ turn, server }) => {
        await hold.running;
        await turn.steer('left', { id: 's1' });
        await untilReceipt(turn, 's1', 'accepted');
        hold.release();
        await untilAsked(server, 2);
        expect(await turn.receipt('s1')).toEqual({ v: 1, id: 's1', kind: 'steer', status: 'delivered' });
        last.answer();
      },
    );
  });

  test('tell of an interrupt and of a stop that they are done, and of what never came nothing', async () => {
    await duringTool(async ({ turn }) => {
      await turn.stop('enough', { id: 's1' });
      await turn.interrupt('enough', { id: 'i1' });
      await turn.result();
      expect(await turn.receipt('s1')).toMatchObject({ kind: 'stop', status: 'done' });
      expect(await turn.receipt('i1')).toMatchObject({ kind: 'interrupt', status: 'done' });
      expect(await turn.receipt('x')).toBeUndefined();
    });
  });

  test('tell of a steer that was handed back that it came too late', async () => {
    await duringTool(async ({ turn }) => {
      await turn.steer('left', { id: 's1' });
      await turn.interrupt();
      await turn.result();
      expect(await turn.receipt('s1')).toMatchObject({ kind: 'steer', status: 'too_late' });
    });
  });

  test('tell of a steer without a message that it was refused', async () => {
    const { outcome, transcript } = await duringTool(async (running) => {
      for (const argument of [{}, null, 'left', { v: 1, message: '' }, { v: 1, message: 7 }]) {
        const receipt = await rawHandle(running).executeUpdate('steer', { args: [argument] });
        expect(receipt).toMatchObject({ kind: 'steer', status: 'refused' });
        await rawHandle(running).signal('steer', argument);
      }
    });
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(shapeOf(transcript)).toBe('user, assistant, tool, assistant');
  });

  test('of an update name the message as the caller did', async () => {
    await duringTool(async (running) => {
      const update = (name: string, argument: object) =>
        rawHandle(running).executeUpdate(name, { args: [{ v: 1, ...argument }] });
      expect(await update('steer', { id: 'm1', message: 'left' })).toEqual({
        v: 1,
        id: 'm1',
        kind: 'steer',
        status: 'accepted',
      });
      expect(await update('stop', { id: 'm2' })).toMatchObject({ id: 'm2', kind: 'stop', status: 'done' });
    });
  });
});

test('a steer and a reply that asks for tools: the results come first, then the message', async () => {
  const hold = heldTool();
  const first = gate();
  const entry = async () => {
    await first.opened;
    return reply(text('I look.'), toolCall('hold'));
  };
  const { transcript } = await endedTurn(
    { script: [entry, text('done')], tools: [hold.tool] },
    async ({ turn, server }) => {
      await untilAsked(server, 1);
      await turn.steer('left');
      first.open();
      await hold.running;
      hold.release();
    },
  );
  expect(shapeOf(transcript)).toBe('user, assistant, tool, user, assistant');
});
