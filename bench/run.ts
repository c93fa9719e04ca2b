// npm run bench -- NAME [options]: prints a table, and as its last line one line of JSON.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { parseBenchArguments, UsageError } from './arguments.js';
import { runColdStart } from './cold-start/cold-start.js';
import { runFastLane } from './fast-lane/fast-lane.js';
import { runGrowth } from './growth/growth.js';
import { runInterrupt } from './interrupt/interrupt.js';
import { runIteration } from './iteration/iteration.js';
import { runResume } from './resume/resume.js';
import { runStream } from './stream/stream.js';

const BENCHES = {
  iteration: {
    what: 'ms and history bytes an iteration, beside a plain Temporal loop',
    run: runIteration,
  },
  'cold-start': {
    what: 'from the start of a process to the end of its first turn, beside a plain Temporal loop',
    run: runColdStart,
  },
  'fast-lane': {
    what: 'turns a second, ms and history events of tools as activities and as local activities',
    run: runFastLane,
  },
  interrupt: {
    what: "ms from an interrupt to the turn's result, in the same process and on another worker",
    run: runInterrupt,
  },
  growth: {
    what: "what a long turn takes: history, its worker's memory, ms an iteration, beside a plain Temporal loop",
    run: runGrowth,
  },
  resume: {
    what: 'bytes and ms until a turn goes on in another worker; and two workers that alternate',
    run: runResume,
  },
  stream: {
    what: "ms from the model's token to the client, and what streaming takes of the CPU",
    run: runStream,
  },
};

try {
  const { name, options } = parseBenchArguments(process.argv.slice(2), BENCHES);
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const result = await BENCHES[name].run(options);
  console.log(JSON.stringify({ bench: name, ...result }));
  process.exit(0);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
