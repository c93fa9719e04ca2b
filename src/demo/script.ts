import type { Message, ToolResultBlock } from '../shared/messages.js';
import { reply, type Script, text, toolCall } from '../testing/index.js';

export const REPORT_PATH = 'holdfast-report.md';
const FILES_READ = 3;
const LINES_SHOWN = 40;
const FIND_LARGEST = `find src -name '*.ts' -type f -exec wc -l {} + | grep -v ' total$' | sort -rn | head -${FILES_READ}`;

/**
 * What the demo's model says. It is written beforehand, but it goes by what the real tools answer: the files that it
 * reads and reports on are those that `find` found in this folder.
 */
export const demoScript: Script = [
  reply(
    text("I'll look for the largest source files of this project, read them, and write a short report.\n"),
    toolCall('bash', { command: FIND_LARGEST }),
  ),
  (messages) =>
    reply(
      text('Reading the three largest.\n'),
      ...filesFound(messages).map(({ path }) => toolCall('read_file', { path, limit: LINES_SHOWN })),
    ),
  (messages) =>
    reply(
      text('Now the report.\n'),
      toolCall('write_file', { path: REPORT_PATH, content: report(messages) }),
    ),
  (messages) => text(`${lastWords(messages)}\n`),
];

type FoundFile = { path: string; lines: number };

/** From the answer of `bash`: a line is `  123 src/a.ts`. */
function filesFound(messages: readonly Message[]): FoundFile[] {
  const output = resultTexts(messages, 'bash').join('\n');
  return [...output.matchAll(/^ *(\d+) (src\/\S+)$/gm)].map(([, lines, path]) => ({
    path: path ?? '',
    lines: Number(lines),
  }));
}

function report(messages: readonly Message[]): string {
  const contents = resultTexts(messages, 'read_file');
  const sections = filesFound(messages).map(({ path, lines }, index) => {
    const opening = firstComment(contents[index] ?? '');
    return `## ${path}\n\n${lines} lines. ${opening === '' ? 'It opens without a comment.' : `Its first comment: ${opening}`}\n`;
  });
  return `# The largest source files\n\n${sections.join('\n')}`;
}

/** Lines come as `     12\\ttext`. */
function firstComment(numbered: string): string {
  const lines = numbered.split('\n').map((line) => line.replace(/^ *\d+\t/, '').trim());
  const comment = lines.find((line) => /^(\/\/|\/\*\*|\* )/.test(line) && line.length > 8);
  return (comment ?? '').replace(/^(\/\*\*|\/\/|\*) ?/, '').replace(/ ?\*\/$/, '');
}

function resultTexts(messages: readonly Message[], tool: string): string[] {
  return messages
    .flatMap((message) => (message.role === 'tool' ? message.content : []))
    .filter((result) => result.name === tool)
    .map(contentText);
}

function lastWords(messages: readonly Message[]): string {
  const last = messages.at(-1);
  const result = last?.role === 'tool' ? last.content[0] : undefined;
  if (!result) return 'write_file has no result.';
  const said = contentText(result);
  return result.status === 'ok'
    ? `Done: ${REPORT_PATH} is there. The tool said: "${said}"`
    : `write_file did not succeed: ${result.status}: ${said}`;
}

function contentText({ content }: ToolResultBlock): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
