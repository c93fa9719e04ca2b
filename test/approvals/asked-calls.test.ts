import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { endedTurn, PATIENCE, untilEvent, untilReceipt } from '../interventions/ended-turn.js';
import { countedTool, textOfResult } from '../turn/agents.js';
import { decisions, payTool, statuses, untilAsked } from './paying.js';

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
