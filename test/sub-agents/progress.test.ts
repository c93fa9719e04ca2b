import { expect, test } from 'vitest';
import type { TurnEvent } from '../../src/shared/events.js';
import { text, toolCall } from '../../src/testing/index.js';
import { endedTurn, untilEvent } from '../interventions/ended-turn.js';
import { heldTool } from '../interventions/tools.js';
import { echoTool } from '../turn/agents.js';
import { ask, nested, subAgent } from './agents.js';

/** `sub_agent(turn_started)`, and deeper. */
function shapeOf(event: TurnEvent): string {
  return event.type === 'sub_agent' ? `sub(${shapeOf(event.event)})` : event.type;
}

// MC-122, with section 0's correction
test("a sub-agent's events are in its parent's stream, between the start of its call and its end", async () => {
  const researcher = subAgent('researcher', [toolCall('echo', { text: 'x' }), text('found')], {
    tools: [echoTool().tool],
  });
  const { events, outcome } = await endedTurn(
    { script: [ask('researcher'), text('done')], agent: { tools: [researcher] } },
    async () => undefined,
  );
  expect(events.map(shapeOf)).toEqual([
    ...['turn_started', 'model_started', 'message', 'tool_started'],
    ...['sub(turn_started)', 'sub(model_started)', 'sub(message)', 'sub(tool_started)', 'sub(tool_finished)'],
    ...['sub(model_started)', 'sub(message)', 'sub(turn_ended)'],
    ...['tool_finished', 'model_started', 'message', 'turn_ended'],
  ]);
  const inner = events.filter((event) => event.type === 'sub_agent');
  expect(inner[0]).toMatchObject({
    ...{ turnId: outcome?.turnId, callId: 'researcher', seq: 4 },
    event: { turnId: `${outcome?.turnId}/researcher`, seq: 1, agent: 'researcher', prompt: 'look it up' },
  });
  expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b));
});

test('so are those of sub-agents further down', async () => {
  const { events } = await endedTurn(
    {
      script: [ask('level1'), text('done')],
      agent: { tools: [nested(1, subAgent('deepest', [text('deep')]))] },
    },
    async () => undefined,
  );
  expect(events.map(shapeOf)).toContain('sub(sub(turn_ended))');
});

test('while a sub-agent runs, the state and the Web UI name its turn', async () => {
  const hold = heldTool();
  const researcher = subAgent('researcher', [toolCall('hold'), text('found')], { tools: [hold.tool] });
  await endedTurn(
    { script: [ask('researcher'), text('done')], agent: { tools: [researcher] } },
    async ({ turn, client }) => {
      await hold.running;
      await untilEvent(turn, 'sub_agent');
      const turnId = `${turn.turnId}/researcher`;
      expect((await turn.state()).pendingCalls).toEqual([
        { id: 'researcher', name: 'researcher', status: 'running', subAgent: { turnId } },
      ]);
      const details = await client.client.workflow
        .getHandle(turn.turnId)
        .query('__temporal_workflow_metadata');
      expect(JSON.stringify(details)).toContain(`running: ${turnId}`);
      hold.release();
    },
  );
});
