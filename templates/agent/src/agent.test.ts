// On a real Temporal server, which the test starts where none is named, with a model that says what is written here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedModel, testTurn, text, toolCall } from 'holdfast/testing';
import { agent } from './agent.js';

test('it looks the order up and answers', async () => {
  const model = scriptedModel([
    toolCall('look_up_order', { orderId: 'W2378156' }),
    text('It is on its way.'),
  ]);
  const { outcome, calls } = await testTurn(agent, 'Where is W2378156?', { model });
  assert.equal(outcome.type, 'completed');
  assert.equal(outcome.text, 'It is on its way.');
  assert.equal(calls[0]?.result.status, 'ok');
});

test('an order that is not there is told to the model, and the turn goes on', async () => {
  const model = scriptedModel([toolCall('look_up_order', { orderId: 'W7' }), text('I can not find it.')]);
  const { outcome, calls } = await testTurn(agent, 'Where is W7?', { model });
  assert.equal(outcome.type, 'completed');
  assert.equal(calls[0]?.result.status, 'error');
});
