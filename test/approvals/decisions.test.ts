import { describe, expect, test } from 'vitest';
import { askUser } from '../../src/define/ask-user.js';
import type { Receipt } from '../../src/shared/interventions.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { endedTurn, type RunningCase, untilEvent, untilReceipt } from '../interventions/ended-turn.js';
import { heldTool } from '../interventions/tools.js';
import { decisions, payTool, statuses, untilAsked } from './paying.js';

const update = async (running: RunningCase, name: string, args: object) =>
  await running.client.client.workflow
    .getHandle(running.turn.turnId)
    .executeUpdate<Receipt, [object]>(name, { args: [{ v: 1, ...args }] });

describe('a decision', () => {
  test('counts once: decided twice, the first one does', async () => {
    const { tool, runs } = payTool();
    const script = [reply(toolCall('pay', { to: 'a' }), toolCall('pay', { to: 'b' })), text('ok')];
    const ended = await endedTurn({ script, tools: [tool] }, async ({ turn }) => {
      const [first = '', second = ''] = await untilAsked(turn, 2);
      await turn.deny(first, { id: 'd1' });
      await turn.approve(first, { id: 'a1' });
      await turn.approve(second, { id: 'a2' });
      await turn.approve(second, { id: 'a2' });
      await turn.result();
      expect(await turn.receipt('d1')).toMatchObject({ status: 'done' });
      expect(await turn.receipt('a1')).toMatchObject({ status: 'already_decided' });
      expect(await turn.receipt('a2')).toMatchObject({ status: 'done' });
    });
    expect(runs.map(({ to }) => to)).toEqual(['b']);
    expect(decisions(ended)).toEqual(['denied', 'approved']);
  });

  test('approve and deny at once: the first in the event history counts', async () => {
    const { tool, runs } = payTool();
    for (const names of [
      ['approve', 'deny'],
      ['deny', 'approve'],
    ]) {
      let first: string | null | undefined;
      const ended = await endedTurn(
        { script: [toolCall('pay', { to: 'a' }), text('ok')], tools: [tool] },
        async ({ turn, client }) => {
          const [callId] = await untilAsked(turn);
          const handle = client.client.workflow.getHandle(turn.turnId);
          await Promise.all(names.map((name) => handle.signal(name, { v: 1, callId })));
          const { events } = await handle.fetchHistory();
          const signals = events?.flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
          first = signals?.[0]?.signalName;
        },
      );
      expect(decisions(ended)).toEqual([first === 'approve' ? 'approved' : 'denied']);
      expect(statuses(ended)).toEqual([first === 'approve' ? 'ok' : 'denied_by_person']);
    }
    expect(runs.length).toBeLessThanOrEqual(2);
  });

  test('by update is answered at once with what became of it', async () => {
    const { tool } = payTool();
    await endedTurn(
      { script: [toolCall('pay', { to: 'a' }), text('ok')], tools: [tool] },
      async (running) => {
        const [callId] = await untilAsked(running.turn);
        expect(await update(running, 'approve', { callId: 'nope' })).toMatchObject({ status: 'not_waiting' });
        expect(await update(running, 'approve', {})).toMatchObject({
          status: 'refused',
          problem: expect.stringContaining('callId'),
        });
        expect(await update(running, 'answer', { callId, answer: 'x' })).toMatchObject({
          status: 'refused',
          problem: expect.stringContaining('approve or deny'),
        });
        expect(await update(running, 'approve', { callId, arguments: {}, always: true })).toMatchObject({
          status: 'refused',
        });
        expect(await update(running, 'approve', { callId, id: 'u1' })).toMatchObject({
          id: 'u1',
          status: 'done',
        });
        expect(await update(running, 'approve', { callId, id: 'u1' })).toMatchObject({
          status: 'done',
          duplicate: true,
        });
      },
    );
  });

  test.each(['interrupt', 'stop', 'cancel'] as const)(
    'after %s is too late: the call is settled as not started',
    async (how) => {
      const { tool, runs } = payTool();
      const held = heldTool();
      const script = [reply(toolCall('pay', { to: 'a' }), toolCall('hold')), text('never')];
      const ended = await endedTurn({ script, tools: [tool, held.tool] }, async ({ turn }) => {
        const [callId = ''] = await untilAsked(turn);
        await held.running;
        await (how === 'cancel' ? turn.cancel() : turn[how]());
        if (how === 'stop') {
          await turn.approve(callId, { id: 'late' });
          await untilReceipt(turn, 'late', 'too_late');
          held.release();
        }
        await turn.result().catch(() => undefined);
        expect(await turn.approve(callId)).toMatchObject({ status: 'too_late' });
      });
      expect(runs).toEqual([]);
      expect(ended.results[0]).toMatchObject({ status: 'interrupted', cause: 'not_started' });
    },
  );

  test('that does not come in time is a denial', async () => {
    const { tool, runs } = payTool();
    const script = [
      reply(toolCall('pay', { to: 'a' }), toolCall('ask_user', { question: 'why?' })),
      text('ok'),
    ];
    const agent = { approvalTimeout: '100 milliseconds' as const };
    const ended = await endedTurn({ script, tools: [tool, askUser()], agent }, async () => undefined);
    expect(runs).toEqual([]);
    expect(statuses(ended)).toEqual(['denied_by_timeout', 'not_answered']);
    expect(decisions(ended)).toEqual(['overdue', 'overdue']);
  });
});

// MC-140
describe('a question of the model', () => {
  test('waits for its answer, which is the result', async () => {
    const script = [
      toolCall('ask_user', { question: 'Which colour?', choices: ['red', 'blue'] }),
      text('blue it is'),
    ];
    const ended = await endedTurn({ script, tools: [askUser()] }, async ({ turn }) => {
      const event = await untilEvent(turn, 'question_asked');
      expect(event).toMatchObject({ question: 'Which colour?', choices: ['red', 'blue'] });
      expect(await turn.state()).toMatchObject({
        waitingFor: [{ kind: 'question', question: 'Which colour?' }],
      });
      await turn.answer(event.callId, 'blue');
    });
    expect(ended.results).toMatchObject([{ status: 'ok', content: [{ text: 'blue' }] }]);
    expect(ended.events.find(({ type }) => type === 'decided')).toMatchObject({
      decision: { kind: 'answered', answer: 'blue' },
    });
  });

  test('without a question in it is an error, and one may decline to answer', async () => {
    const script = [toolCall('ask_user', {}), toolCall('ask_user', { question: 'Why?' }), text('ok')];
    const ended = await endedTurn({ script, tools: [askUser()] }, async ({ turn }) => {
      await turn.deny((await untilEvent(turn, 'question_asked')).callId);
    });
    expect(statuses(ended)).toEqual(['invalid_arguments', 'denied_by_person']);
  });
});
