import { DEFAULT_TASK_QUEUE } from '../../shared/turn.js';
import { errorText } from '../../shared/wire-text.js';
import { accessChecks } from './access-checks.js';
import { type Check, failed } from './check.js';
import { machineChecks } from './machine-checks.js';
import { temporalChecks } from './temporal-checks.js';

export type Section = { title: string; checks: Check[] };

/** All that can be seen of this machine, Temporal and the model at no cost. `close` is for after the last check. */
export function wholeSections(taskQueue: string = DEFAULT_TASK_QUEUE): {
  sections: Section[];
  close: () => Promise<void>;
} {
  const temporal = temporalChecks(taskQueue);
  const sections = [
    { title: 'This machine', checks: machineChecks() },
    { title: 'Temporal', checks: temporal.checks },
    { title: 'The model', checks: accessChecks(process.env) },
  ];
  return {
    sections: sections.map(({ title, checks }) => ({ title, checks: checks.map(guarded) })),
    close: temporal.close,
  };
}

/** A setting that can't be read, or a server that goes away, is a finding. */
function guarded({ name, run }: Check): Check {
  return {
    name,
    run: async () => {
      try {
        return await run();
      } catch (error) {
        return failed(errorText(error));
      }
    },
  };
}
