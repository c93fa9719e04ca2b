// Bundles the compiled workflows once, so that no worker has to at its start (it takes a second or two).
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const { code } = await bundleWorkflowCode({
  workflowsPath: path('../dist/workflows/index.js'),
  logger: new DefaultLogger('WARN'),
});

const MAP = /(\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,)(\S+)/;

/** The sources themselves are half of the bundle, and only a debugger reads them. Lines stay right without. */
function withoutSources(bundle) {
  return bundle.replace(MAP, (_match, head, map) => {
    const { sourcesContent, ...rest } = JSON.parse(Buffer.from(map, 'base64').toString());
    return head + Buffer.from(JSON.stringify(rest)).toString('base64');
  });
}

writeFileSync(path('../dist/workflow-bundle.js'), withoutSources(code));
