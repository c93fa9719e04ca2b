import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** The naive workflow's code, bundled, so that no clock sees webpack. */
export async function bundleNaive(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
    logger: new DefaultLogger('WARN'),
  });
  return code;
}
