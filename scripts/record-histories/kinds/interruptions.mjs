// Turns that are interrupted, stopped, canceled or steered, or whose worker is lost.
import { reply, text, toolCall } from '../../../dist/testing/index.js';
import { hasBegun, openGate } from '../recorded-tools.mjs';

const waiting = async (_messages) => {
  hasBegun();
  return { ...reply(text('late')), delayMs: Number.POSITIVE_INFINITY };
};

export const interruptions = {
  'interrupted-tool': {
    script: [reply(toolCall('echo'), toolCall('wait'))],
    meanwhile: (turn) => turn.interrupt('enough'),
  },
  'interrupted-model': { script: [waiting], meanwhile: (turn) => turn.interrupt('enough') },
  'stopped-tool': {
    script: [reply(toolCall('wait'), toolCall('alone'))],
    meanwhile: async (turn) => {
      await turn.stop('enough');
      await turn.interrupt();
    },
  },
  'canceled-tool': { script: [toolCall('wait')], meanwhile: (turn) => turn.cancel() },
  steered: {
    script: [toolCall('gate'), text('so be it')],
    meanwhile: async (turn) => {
      await turn.steer('left, please');
      openGate();
    },
  },
  'lost-worker': { script: [toolCall('wait'), text('unknown')], loses: true },
  'lost-worker-reconciled': { script: [toolCall('pay'), text('paid')], loses: true },
};
