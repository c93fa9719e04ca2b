// Turns whose agent has others as tools, and the turns of those.
import { reply, text, toolCall } from '../../../dist/testing/index.js';
import { ask, helpers } from '../helper-agents.mjs';
import { decideBelow, untilAsked } from '../people.mjs';

export const subAgents = {
  'sub-agents': {
    script: [reply(ask('helps'), ask('fails'), toolCall('echo')), text('done')],
    agent: { tools: helpers },
  },
  'sub-agent': { script: [ask('helps'), text('done')], agent: { tools: helpers }, child: 'helps' },
  'interrupted-sub-agent': {
    script: [ask('waits')],
    agent: { tools: helpers },
    meanwhile: (turn) => turn.interrupt('enough'),
  },
  'shared-budget': {
    script: [reply(ask('helps'), ask('fails')), text('done')],
    agent: { tools: helpers, limits: { tokens: 10_000, time: '1 hour' } },
  },
  'asked-sub-agents': {
    script: [reply(ask('helps'), ask('asks'), ask('fails'), toolCall('echo')), text('done')],
    agent: { tools: helpers, permissions: { allow: ['echo', 'asks'], deny: ['alone'] } },
    asks: async (turn) => {
      await untilAsked(turn, 2);
      await turn.deny('fails', { reason: 'no' });
      await turn.approve('helps', { arguments: { task: 'something else' } });
      await decideBelow(turn);
    },
  },
  'asking-sub-agent': {
    script: [ask('asks'), text('done')],
    agent: { tools: helpers, permissions: { allow: ['asks'], deny: ['alone'] } },
    asks: (turn) => decideBelow(turn),
    child: 'asks',
  },
};
