import { expect, test, vi } from 'vitest';
import type { Place } from '../../src/cli/open-client.js';
import { findTurn } from '../../src/cli/turns/find-turn.js';
import { awaitedBy } from '../../src/cli/turns/waiting.js';
import type { TurnEvent } from '../../src/shared/events.js';
import { text, toolCall } from '../../src/testing/index.js';
import { endedTurn, PATIENCE, untilEvent } from '../interventions/ended-turn.js';
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

test('while a sub-agent runs, the state, the Web UI and the command line name its turn', async () => {
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
      const place = { client, server: { namespace: 'default' } } as Place;
      const converter = client.client.options.loadedDataConverter;
      // A list of turns is a little behind.
      await vi.waitFor(async () => {
        const short = turn.turnId.slice(0, 12);
        const { workflowId, raw } = await findTurn(place, short);
        expect(workflowId).toBe(turn.turnId);
        expect((await findTurn(place, `${turn.turnId}/res`)).workflowId).toBe(turnId);
        expect(await awaitedBy(raw, converter)).toMatchObject([{ kind: 'sub_agent', name: turnId }]);
      }, PATIENCE);
      hold.release();
    },
  );
});
