import { DefaultLogger, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';

process.env['TEMPORAL_ADDRESS'] = inject('temporalAddress');
process.env['HOLDFAST_ARTIFACTS'] = inject('artifactFolder');
Runtime.install({ logger: new DefaultLogger('ERROR') });
