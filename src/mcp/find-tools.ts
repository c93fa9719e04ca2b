import { z } from 'zod';
import type { AnyTool } from '../define/define-agent.js';
import { makeTool } from '../define/make-tool.js';
import { FIND_TOOLS } from '../shared/mcp.js';
import { type Message, toolCallsOf } from '../shared/messages.js';
import type { CatalogTool } from './catalog.js';

const MOST_FOUND = 10;
const TOLD_CHARACTERS = 300;
/** How a line of the answer begins: what it names is offered from then on. */
const FOUND_LINE = /^- ([a-zA-Z0-9_-]{1,64})(?:: |$)/gm;
const NAME_WEIGHT = 3;

const input = z.object({
  query: z.string().min(1).describe('Words of what the tool is to do, or of its name'),
});

/** The tool with which a model finds those of a catalog that it is not shown. It is answered where the reply is planned. */
export function findToolsTool(catalog: readonly CatalogTool[]): AnyTool {
  const counts = new Map<string, number>();
  for (const { server } of catalog) counts.set(server, (counts.get(server) ?? 0) + 1);
  const servers = [...counts].map(([server, count]) => `${server} (${count})`).join(', ');
  return makeTool({
    name: FIND_TOOLS,
    description: `Finds tools by words in their names and descriptions. There are ${catalog.length} tools that are not shown here, of these servers: ${servers}. What is found can be called from your next reply on.`,
    input,
    idempotent: true,
    effects: 'none',
    run: () => '',
  });
}

/** What the tool answers. */
export function foundText(catalog: readonly CatalogTool[], query: unknown): string {
  const found = searched(catalog, String(query));
  if (found.length === 0)
    return `No tool has one of these words. Try others; there are ${catalog.length} tools.`;
  const lines = found.map(({ name, description }) => {
    const told = description.replace(/\s+/g, ' ').trim();
    const short = told.length > TOLD_CHARACTERS ? `${told.slice(0, TOLD_CHARACTERS)}…` : told;
    return short === '' ? `- ${name}` : `- ${name}: ${short.toWellFormed()}`;
  });
  return `These tools can be called now:\n${lines.join('\n')}`;
}

/** The names of tools that this transcript has found or called. */
export function foundIn(messages: readonly Message[]): Set<string> {
  const names = new Set<string>();
  for (const message of messages) {
    for (const { name } of toolCallsOf(message)) names.add(name);
    if (message.role !== 'tool') continue;
    for (const { name, content } of message.content) {
      if (name !== FIND_TOOLS) continue;
      for (const block of content)
        if (block.type === 'text')
          for (const [, found] of block.text.matchAll(FOUND_LINE)) if (found) names.add(found);
    }
  }
  return names;
}

/** Best first: rare words count more than common ones, and those of a name more than those of a description. */
function searched(catalog: readonly CatalogTool[], query: string): CatalogTool[] {
  const wanted = [...new Set(wordsOf(query))];
  const docs = catalog.map((tool) => ({
    tool,
    name: new Set([...wordsOf(tool.tool), ...wordsOf(tool.server)]),
    text: new Set(wordsOf(tool.description)),
    exact: tool.name === query.trim() || tool.tool === query.trim(),
  }));
  const weights = new Map(
    wanted.map((word) => {
      const holders = docs.filter(({ name, text }) => has(name, word) || has(text, word)).length;
      return [word, Math.log(1 + catalog.length / (1 + holders))];
    }),
  );
  const scored = docs.map(({ tool, name, text, exact }) => {
    const score = wanted.reduce((sum, word) => {
      const weight = weights.get(word) ?? 0;
      return sum + weight * (has(name, word) ? NAME_WEIGHT : has(text, word) ? 1 : 0);
    }, 0);
    return { tool, score: exact ? Number.POSITIVE_INFINITY : score };
  });
  const found = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
  return found.slice(0, MOST_FOUND).map(({ tool }) => tool);
}

/** `issue` finds `issues`, and `create` finds `createIssue`. */
function has(words: ReadonlySet<string>, wanted: string): boolean {
  if (words.has(wanted)) return true;
  return wanted.length >= 3 && [...words].some((word) => word.startsWith(wanted));
}

function wordsOf(text: string): string[] {
  const parted = text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').toLowerCase();
  return parted.match(/[\p{L}\p{N}]+/gu) ?? [];
}
