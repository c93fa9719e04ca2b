import type { Message, ToolCallBlock, ToolResultBlock } from '../../shared/messages.js';
import { toolCallsOf } from '../../shared/messages.js';
import { oneLine } from '../table.js';
import { safeText } from '../terminal.js';
import { duration } from '../turn-printer.js';

/** A transcript as Markdown: a heading for each message, each call with what it was given and what came of it. */
export function transcriptMarkdown(title: string, messages: readonly Message[], deltaFrom: number): string {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.content.map((result) => [result.callId, result] as const) : [],
    ),
  );
  const parts = messages.flatMap((message, index) => {
    const mark = index === deltaFrom && index > 0 ? ['---\n*Here this turn began.*'] : [];
    return [...mark, ...messageParts(message, results)];
  });
  return `${[`# ${oneLine(title)}`, ...parts].join('\n\n')}\n`;
}

function messageParts(message: Message, results: Map<string, ToolResultBlock>): string[] {
  switch (message.role) {
    case 'tool':
      return [];
    case 'system':
      return ['## System', ...message.content.map(({ text }) => safeText(text))];
    case 'user':
      return [
        message.covers ? '## Summary of earlier messages' : '## User',
        ...message.content.map((block) => {
          if (block.type === 'text') return safeText(block.text);
          if (block.type === 'file') return `*A file: ${oneLine(block.name)} (${oneLine(block.mediaType)})*`;
          return `*An image${block.url === undefined ? ` (${oneLine(block.mediaType)})` : `: ${oneLine(block.url)}`}*`;
        }),
      ];
    case 'assistant':
      return [
        `## Assistant${message.model === undefined ? '' : ` (${oneLine(message.model)})`}`,
        ...message.content.flatMap((block) => {
          if (block.type === 'text') return block.text === '' ? [] : [safeText(block.text)];
          return block.type === 'reasoning' && block.text !== '' ? [quoted(safeText(block.text))] : [];
        }),
        ...toolCallsOf(message).map((call) => callPart(call, results.get(call.id))),
        ...(message.stopReason === undefined ? ['*It was cut here.*'] : []),
      ];
    default:
      return message satisfies never;
  }
}

function callPart(call: ToolCallBlock, result: ToolResultBlock | undefined): string {
  const status = result?.status ?? 'has no result yet';
  const time = result?.durationMs === undefined ? '' : `, ${duration(result.durationMs)}`;
  const content = (result?.content ?? []).map((block) => (block.type === 'text' ? block.text : '[an image]'));
  return [
    `### ${call.name}: ${status}${time}`,
    fenced(pretty(call.arguments), 'json'),
    ...(result ? [fenced(safeText(content.join('\n')))] : []),
  ].join('\n\n');
}

/** As the model wrote it, where it is no JSON. */
function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return safeText(json);
  }
}

/** Within a fence that is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function quoted(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
