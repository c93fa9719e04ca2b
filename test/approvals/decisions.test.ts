import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { askUser } from '../../src/define/ask-user.js';
import type { Receipt } from '../../src/shared/interventions.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import {
  type EndedTurn,
  endedTurn,
  PATIENCE,
  type RunningCase,
  untilEvent,
  untilReceipt,
} from '../interventions/ended-turn.js';
import { heldTool } from '../interventions/tools.js';
import { countedTool, textOfResult } from '../turn/agents.js';

/** A tool that asks before it pays; what it was run with. */
function payTool(name = 'pay') {
  return countedTool(
    name,
    { to: z.string(), cents: z.number().default(() => Math.random()) },
    ({ to }) => `paid ${to}`,
    { approval: 'ask' },
  );
}

async function untilAsked(turn: TurnHandle, count = 1): Promise<string[]> {
  const state = await vi.waitFor(async () => {
    const found = await turn.state();
    expect(found.waitingFor).toHaveLength(count);
    return found;
  }, PATIENCE);
  return (state.waitingFor ?? []).map(({ callId }) => callId);
}

const update = async (running: RunningCase, name: string, args: object) =>
  await running.client.client.workflow
    .getHandle(running.turn.turnId)
    .executeUpdate<Receipt, [object]>(name, { args: [{ v: 1, ...args }] });

const decisions = ({ events }: EndedTurn) =>
  events.flatMap((event) => (event.type === 'decided' ? [event.decision.kind] : []));
const statuses = ({ results }: EndedTurn) => results.map(({ status, cause }) => cause ?? status);

describe('a call that needs an approval', () => {
  test('runs once it is approved, exactly as it was asked', async () => {
    const { tool, runs } = payTool();
    let input: unknown;
    const ended = await endedTurn(
      { script: [toolCall('pay', { to: 'ann' }), text('paid')], tools: [tool] },
      async ({ turn }) => {
        const event = await untilEvent(turn, 'approval_requested');
        input = event.input;
        expect(event).toMatchObject({ name: 'pay', summary: 'pay ann', why: 'pay asks', always: ['pay'] });
        expect(await turn.state()).toMatchObject({
          phase: 'tools',
          pendingCalls: [{ status: 'needs_approval' }],
          waitingFor: [{ kind: 'approval', callId: event.callId, input: event.input, why: 'pay asks' }],
        });
        expect(runs).toEqual([]);
        await turn.approve(event.callId, { reason: 'checked by phone', by: 'eve' });
      },
    );
    expect(runs).toEqual([input]);
    expect(ended.results.map(textOfResult)).toEqual(['paid ann']);
    expect(ended.events.find(({ type }) => type === 'decided')).toMatchObject({
      decision: { kind: 'approved', by: 'eve', reason: 'checked by phone' },
    });
  });

  test('is not run when it is denied, and the model reads why', async () => {
    const { tool, runs } = payTool();
    const ended = await endedTurn(
      { script: [toolCall('pay', { to: 'ann' }), text('ok')], tools: [tool] },
      async ({ turn }) => {
        await turn.deny((await untilEvent(turn, 'approval_requested')).callId, { reason: 'too much' });
      },
    );
    expect(runs).toEqual([]);
    expect(ended.results).toMatchObject([{ status: 'denied', cause: 'denied_by_person' }]);
    expect(textOfResult(ended.results[0])).toContain('too much');
    expect(ended.outcome).toMatchObject({ type: 'completed', text: 'ok' });
  });

  test('shows in the Web UI, with the id that a decision names', async () => {
    await endedTurn(
      { script: [toolCall('pay', { to: 'ann' }), text('ok')], tools: [payTool().tool] },
      async ({ turn, client }) => {
        const [callId = ''] = await untilAsked(turn);
        const handle = client.client.workflow.getHandle(turn.turnId);
        const metadata = await handle.query<{ currentDetails: string }, []>('__temporal_workflow_metadata');
        expect(metadata.currentDetails).toContain('waiting for a person');
        expect(metadata.currentDetails).toContain(callId);
        await turn.approve(callId);
      },
    );
  });

  test('runs with the arguments that a person has put in place of the model’s, checked, and the model is told', async () => {
    const { tool, runs } = payTool();
    const script = [reply(toolCall('pay', { to: 'ann' }), toolCall('pay', { to: 'bob' })), text('ok')];
    const ended = await endedTurn({ script, tools: [tool] }, async ({ turn }) => {
      const [first = '', second = ''] = await untilAsked(turn, 2);
      await turn.approve(first, { arguments: { to: 'cat', cents: 5 } });
      await turn.approve(second, { arguments: { to: 7 } });
    });
    expect(runs).toEqual([{ to: 'cat', cents: 5 }]);
    expect(statuses(ended)).toEqual(['ok', 'invalid_arguments']);
    expect(textOfResult(ended.results[0])).toMatch(
      /^paid cat.*changed the arguments.*\{"to":"cat","cents":5\}/s,
    );
  });

  test('changed arguments do not get around a deny rule', async () => {
    const { tool, runs } = payTool();
    const agent = { permissions: { deny: ['pay(eve)'] } };
    const ended = await endedTurn(
      { script: [toolCall('pay', { to: 'ann' }), text('ok')], tools: [tool], agent },
      async ({ turn }) => {
        await turn.approve((await untilEvent(turn, 'approval_requested')).callId, {
          arguments: { to: 'EVE' },
        });
      },
    );
    expect(runs).toEqual([]);
    expect(statuses(ended)).toEqual(['denied_by_rule']);
  });

  test('several are decided in any order, and run meanwhile what needs no approval', async () => {
    const { tool, runs } = payTool();
    const free = countedTool('free', {});
    const script = [
      reply(toolCall('pay', { to: 'a' }), toolCall('free'), toolCall('pay', { to: 'b' })),
      text('ok'),
    ];
    const ended = await endedTurn({ script, tools: [tool, free.tool] }, async ({ turn }) => {
      const [first = '', second = ''] = await untilAsked(turn, 2);
      await untilEvent(turn, 'tool_finished');
      await turn.approve(second);
      await vi.waitFor(() => expect(runs.map(({ to }) => to)).toEqual(['b']), PATIENCE);
      await turn.deny(first);
    });
    expect(free.runs).toHaveLength(1);
    expect(statuses(ended)).toEqual(['denied_by_person', 'ok', 'ok']);
  });

  test('calls that run alone keep their order, whatever is approved first', async () => {
    const order: string[] = [];
    const alone = countedTool('alone', { n: z.string() }, ({ n }) => order.push(n), {
      approval: 'ask',
      parallel: false,
    });
    const script = [reply(toolCall('alone', { n: 'a' }), toolCall('alone', { n: 'b' })), text('ok')];
    await endedTurn({ script, tools: [alone.tool] }, async ({ turn }) => {
      const [first = '', second = ''] = await untilAsked(turn, 2);
      await turn.approve(second, { id: 'second' });
      await untilReceipt(turn, 'second', 'done');
      expect(order).toEqual([]);
      await turn.approve(first);
    });
    expect(order).toEqual(['a', 'b']);
  });

  test('"always" allows the same for the rest of the turn, also in its next runs', async () => {
    const { tool, runs } = payTool();
    const script = [
      toolCall('pay', { to: 'a' }),
      toolCall('pay', { to: 'b' }),
      toolCall('pay', { to: 'c' }),
      text('ok'),
    ];
    const ended = await endedTurn(
      { script, tools: [tool], agent: { iterationsPerRun: 1 } },
      async ({ turn }) => {
        await turn.approve((await untilEvent(turn, 'approval_requested')).callId, { always: true });
      },
    );
    expect(runs).toHaveLength(3);
    expect(decisions(ended)).toEqual(['approved']);
  });
});

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
