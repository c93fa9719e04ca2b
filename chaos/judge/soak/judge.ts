// The judge of the soak, a process of its own: it counts from the event histories and the artifacts, and trusts no word of a session.
import { AgentClient } from 'holdfast/client';
import type { Said } from '../../records.js';
import { sessionIdOf } from '../../soak/plan.js';
import { loadRecords } from '../evidence.js';
import { boundProblems, memoryOf, memoryProblems } from './bounds.js';
import { endedProblems } from './count-ended.js';
import { countMessages } from './count-messages.js';
import { archivesIn, readSession } from './evidence.js';
import { figuresOf, shown } from './figures.js';

const SHOWN_PROBLEMS = 8;

const [, , address = '', folder = '', sessionCount, messagesPerRun] = process.argv;
const { client, ...agentClient } = await connected();
const records = loadRecords(folder);
const said = records.deeds.filter((deed): deed is Said & { at: number } => deed.deed === 'said');
const judged = [];
for (let index = 0; index < Number(sessionCount); index++) judged.push(await judge(sessionIdOf(index)));
const memory = memoryOf(records.memory, steadyPid());

const problems = {
  ended: judged.flatMap(({ ended }) => ended),
  lost: judged.flatMap(({ messages }) => messages.lost),
  doubled: judged.flatMap(({ messages }) => messages.doubled),
  disordered: judged.flatMap(({ messages }) => messages.disordered),
  refused: [...records.refusals.map(({ why }) => why), ...judged.flatMap(({ messages }) => messages.refused)],
  unbounded: judged.flatMap(({ unbounded }) => unbounded),
  memory: memoryProblems(memory),
};
const figures = figuresOf(judged, records.deeds, memory);
for (const [problem, lines] of Object.entries(problems)) {
  for (const line of lines.slice(0, SHOWN_PROBLEMS)) console.log(`${problem}: ${line}`);
}
console.log(shown(figures));
const counted = Object.entries(problems).map(([problem, lines]) => [problem, lines.length]);
console.log(JSON.stringify({ ...figures, problems: Object.fromEntries(counted) }));
await agentClient.close();
process.exitCode = Object.values(problems).some((lines) => lines.length > 0) ? 1 : 0;

/** What is counted of one session; of its messages nothing is kept. */
async function judge(sessionId: string) {
  const session = await readSession(client, sessionId, folder);
  const own = said.filter((each) => each.sessionId === sessionId);
  const messages = countMessages(session, own, archivesIn(folder));
  const { turns, sessionRuns, turnRuns, compactions } = session;
  return {
    ...{ messages, sessionRuns, turnRuns, compactions },
    turns: turns.map(({ ended, compactions }) => ({ ended, compactions })),
    ended: endedProblems(session, records.deeds),
    unbounded: boundProblems([...sessionRuns, ...turnRuns], Number(messagesPerRun)),
  };
}

/** Of the worker that nobody has killed. */
function steadyPid(): number | undefined {
  const serving = records.deeds.findLast(
    (deed) => deed.deed === 'worker' && deed.steady && deed.event.type === 'serving',
  );
  return serving?.deed === 'worker' ? serving.event.pid : undefined;
}

async function connected() {
  const agentClient = await AgentClient.connect({ address });
  return { client: agentClient.client, close: () => agentClient.close() };
}
