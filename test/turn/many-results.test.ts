import { expect, test } from 'vitest';
import { reply, text, toolCall, withWorker } from '../../src/testing/index.js';
import { agentWith, countedTool, servedModel } from './agents.js';

test('sixty results of 100 KB are one message that a worker without memory of it can read', async () => {
  const calls = Array.from({ length: 60 }, () => toolCall('returning'));
  const { model, server } = await servedModel([reply(...calls), text('done')]);
  const returning = countedTool('returning', {}, () => 'r'.repeat(99_000)).tool;
  const worker = { transcriptCache: { maxTranscripts: 0 } };
  await withWorker(
    agentWith([returning], { model }),
    async ({ start }) => {
      const turn = await start('hello');
      expect(await turn.result()).toMatchObject({ type: 'completed', text: 'done' });
      const results = server.requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool') ?? [];
      expect(results).toHaveLength(60);
      expect(JSON.stringify(results).length).toBeLessThan(1_200_000);
      expect(JSON.stringify(results[59])).toContain('read_artifact');
    },
    worker,
  );
});
