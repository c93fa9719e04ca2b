import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { defineAgent } from '../../src/define/define-agent.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { testPlace, withWorker } from '../../src/testing/test-environment.js';

const agent = defineAgent({ name: 'tester', instructions: 'Test.', model: scriptedModel([text('hello')]) });

test('turns run on the current version of a worker deployment, and upgrade by themselves', async () => {
  const { client } = await testPlace();
  const { workflowService, options } = client.client;
  const { namespace } = options;
  const deployment = { name: `deployment-${randomUUID()}`, buildId: 'build-1' };
  await withWorker(
    agent,
    async ({ start }) => {
      await vi.waitFor(
        () =>
          workflowService.setWorkerDeploymentCurrentVersion({
            namespace,
            deploymentName: deployment.name,
            buildId: deployment.buildId,
          }),
        { timeout: 30_000 },
      );
      const turn = await start('hello');
      expect(await turn.result()).toMatchObject({ type: 'completed', text: 'hello' });
      const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution({
        namespace,
        execution: { workflowId: turn.turnId },
      });
      expect(workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId).toBe('build-1');
      // VERSIONING_BEHAVIOR_AUTO_UPGRADE
      expect(workflowExecutionInfo?.versioningInfo?.behavior).toBe(2);
    },
    { deployment },
  );
});
