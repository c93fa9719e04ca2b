// Agents that are tools of the recorded one.
import { defineAgent } from '../../dist/index.js';
import { fault, reply, scriptedModel, text, toolCall } from '../../dist/testing/index.js';
import { asking, tools } from './recorded-tools.mjs';

const helper = (name, script) =>
  defineAgent({ name, description: name, instructions: 'Help.', model: scriptedModel(script), tools });

export const ask = (name) => ({ ...toolCall(name, { task: 'help' }), id: name });

export const helpers = [
  ...tools,
  helper('helps', [toolCall('echo', { text: 'x' }), text('helped')]),
  helper('fails', [fault({ status: 401 })]),
  helper('waits', [toolCall('wait')]),
  defineAgent({
    name: 'asks',
    description: 'asks',
    instructions: 'Help.',
    model: scriptedModel([reply(toolCall('asked', { text: 'x' }), toolCall('alone')), text('helped')]),
    tools: [...tools, ...asking],
  }),
];
