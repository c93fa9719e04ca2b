import { DefaultLogger, type LogLevel, Runtime } from '@temporalio/worker';
import { logLine } from './worker-log.js';

/**
 * Call before the first connection. During an outage of the server the SDK's native half would print a warning for
 * each try. What a signal means is the caller's to say; by default it would stop the worker, which a turn needs to
 * settle.
 */
export function installQuietRuntime(level: LogLevel = 'ERROR'): void {
  Runtime.install({
    logger: new DefaultLogger(level, (entry) => process.stderr.write(logLine(entry))),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
    shutdownSignals: [],
  });
}
