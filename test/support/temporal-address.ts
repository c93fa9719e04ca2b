import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';

// What turns keep outside Temporal is to go into no user's folder.
process.env['HOLDFAST_ARTIFACTS'] ??= join(tmpdir(), 'holdfast-test-artifacts');
process.env['TEMPORAL_ADDRESS'] = inject('temporalAddress');
process.env['HOLDFAST_ARTIFACTS'] = inject('artifactFolder');
Runtime.install({ logger: new DefaultLogger('ERROR') });
