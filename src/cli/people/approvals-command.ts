import type { AgentClient } from '../../client/agent-client.js';
import type { OpenRequest } from '../../client/waiting.js';
import { wireLine } from '../../shared/wire-text.js';
import { withPlace } from '../open-client.js';
import { safeText, terminalOf } from '../terminal.js';
import { findTurn } from '../turns/find-turn.js';

const LINE_BYTES = 160;

/** `holdfast approvals`: what running turns wait for; of one turn, with all arguments. */
export async function approvalsCommand(name: string | undefined, options: { json?: boolean }): Promise<void> {
  const json = options.json ?? false;
  await withPlace(async (place) => {
    if (name === undefined) await listAll(place.client, json);
    else await listOne(place.client, (await findTurn(place, name)).workflowId, json);
  });
}

async function listAll(client: AgentClient, json: boolean): Promise<void> {
  const { write, style } = terminalOf(process.stdout);
  let isEmpty = true;
  for await (const turn of client.waiting()) {
    isEmpty = false;
    if (json) {
      for (const request of turn.waiting) write(`${JSON.stringify({ turnId: turn.turnId, ...request })}\n`);
      continue;
    }
    write(`${style.bold(turn.turnId)}\n`);
    for (const { callId, kind, summary, since, until } of turn.waiting) {
      const end = until === undefined ? '' : `, denied at ${until}`;
      write(`  ${callId}  ${kind}: ${shown(summary)}  ${style.dim(`since ${since}${end}`)}\n`);
    }
    const more = turn.count - turn.waiting.length;
    if (more > 0) write(`  and ${more} more\n`);
  }
  if (isEmpty && !json) write('No running turn waits for a person.\n');
}

async function listOne(client: AgentClient, turnId: string, json: boolean): Promise<void> {
  const { write } = terminalOf(process.stdout);
  const requests = await client.turn(turnId).requests();
  if (json) for (const request of requests) write(`${JSON.stringify(request)}\n`);
  else if (requests.length === 0) write(`The turn ${turnId} waits for no person.\n`);
  else for (const request of requests) write(requestText(request));
}

/** All of a request, for a person who is to decide on it. */
export function requestText(request: OpenRequest): string {
  if (request.type === 'question_asked') {
    const choices = (request.choices ?? []).map((choice, index) => `  ${index + 1}. ${safeText(choice)}\n`);
    return `${request.callId}  question: ${safeText(request.question)}\n${choices.join('')}`;
  }
  const { callId, name, why, always, input } = request;
  const json = safeText(JSON.stringify(input, undefined, 2)).replaceAll('\n', '\n  ');
  const rules = always.length > 0 ? `  always would allow: ${safeText(always.join(', '))}\n` : '';
  return `${callId}  ${name} (${safeText(why)})\n  ${json}\n${rules}`;
}

function shown(text: string): string {
  return wireLine(safeText(text), LINE_BYTES);
}
