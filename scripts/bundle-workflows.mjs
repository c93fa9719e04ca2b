// Bundles the compiled workflows once, so that no worker has to at its start (it takes a second or two).
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const { code } = await bundleWorkflowCode({
  workflowsPath: path('../dist/workflows/index.js'),
  logger: new DefaultLogger('WARN'),
});
writeFileSync(path('../dist/workflow-bundle.js'), code);
