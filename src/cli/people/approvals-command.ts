import type { AgentClient } from '../../client/agent-client.js';
import type { OpenRequest } from '../../client/waiting.js';
import { isJsonObject, type Json } from '../../shared/json.js';
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
  else for (const request of requests) write(requestText(request, turnId));
}

/** All of a request, for a person who is to decide on it; of a sub-agent of the turn, with that one's turn. */
export function requestText(request: OpenRequest, turnId = request.turnId): string {
  const where = request.turnId === turnId ? '' : `  of the sub-agent's turn ${request.turnId}\n`;
  if (request.type === 'question_asked') {
    const choices = (request.choices ?? []).map((choice, index) => `  ${index + 1}. ${plainly(choice)}\n`);
    return `${request.callId}  question: ${plainly(request.question)}\n${where}${choices.join('')}`;
  }
  const { callId, name, why, always, input } = request;
  const rules = always.length > 0 ? `  always would allow: ${plainly(always.join(', '))}\n` : '';
  return `${callId}  ${name} (${plainly(why)})\n${where}${argumentLines(input)}${rules}`;
}

/** As JSON; but a text of several lines, such as a plan, as it is read. */
function argumentLines(input: Json): string {
  if (!isJsonObject(input)) return indented(JSON.stringify(input), 2);
  return Object.entries(input)
    .map(([name, value]) =>
      typeof value === 'string' && value.includes('\n')
        ? `  ${plainly(JSON.stringify(name))}:\n${indented(value, 4)}`
        : indented(`${JSON.stringify(name)}: ${JSON.stringify(value, undefined, 2)}`, 2),
    )
    .join('');
}

function indented(text: string, columns: number): string {
  const space = ' '.repeat(columns);
  return `${plainly(text).replace(/^/gm, space)}\n`;
}

/** What nobody sees is written out: a person decides on what is there, and not on what it looks like. */
function plainly(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (char) =>
    char === '\n' ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

function shown(text: string): string {
  return wireLine(safeText(text), LINE_BYTES);
}
