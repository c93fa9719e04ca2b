import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';

// What turns keep outside Temporal is to go into no user's folder.
process.env['HOLDFAST_ARTIFACTS'] ??= join(tmpdir(), 'holdfast-test-artifacts');
process.env['TEMPORAL_ADDRESS'] = inject('temporalAddress');
process.env['HOLDFAST_ARTIFACTS'] = inject('artifactFolder');
try {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
} catch (error) {
  // The test files of a process share one.
  if (!(error instanceof IllegalStateError)) throw error;
}
