import { DefaultLogger, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';

process.env['TEMPORAL_ADDRESS'] = inject('temporalAddress');
Runtime.install({ logger: new DefaultLogger('ERROR') });
