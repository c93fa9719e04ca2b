import { readFileSync } from 'node:fs';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { workflowBundlePath } from './bundle-path.js';

// Of src/codec/workflow-failures.ts, as they stand in the bundle.
const PLAIN = 'MESSAGES = "holdfast:messages=plain"';
const SEALED = 'MESSAGES = "holdfast:messages=sealed"';

/**
 * The workflows, as text: the SDK's threads start at once, while reading a file would let others go before them. `sealed`:
 * failures that workflow code makes have their messages in payloads, for codecs to encrypt. The SDK asks a prebuilt
 * bundle's own failure converter, and gives it no way to hear of the worker's data converter.
 */
export function workflowBundle(sealed: boolean): WorkflowBundleOption {
  const code = readFileSync(workflowBundlePath(), 'utf8');
  if (!sealed) return { code };
  if (!code.includes(PLAIN)) {
    throw new Error('The workflow bundle is of another version of Holdfast: run `npm run build`.');
  }
  return { code: code.replace(PLAIN, SEALED) };
}
