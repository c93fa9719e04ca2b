import type { Message } from 'holdfast/client';
import type { Covers, ReadArchive } from './record.js';

/**
 * `moved`: a summary follows it that stands for messages before it and after it: the last one that a person had said stays
 * outside of the summary.
 */
export type Told = { message: Message; moved: boolean };

export type Expanded = { told: Told[]; summaries: number; problems: string[] };

/** All messages that a transcript ever had: each summary is replaced by the messages that it stands for, and so on. */
export function expand(transcript: readonly Message[], readArchive: ReadArchive): Expanded {
  const expanded: Expanded = { told: [], summaries: 0, problems: [] };
  for (const [index, message] of transcript.entries()) {
    const covers = coversOf(message);
    if (covers) add(expanded, expandSummary(message.id, covers, readArchive));
    else expanded.told.push({ message, moved: coversOf(transcript[index + 1]) !== undefined });
  }
  return expanded;
}

/** The messages that one summary stands for. */
export function expandSummary(id: string, covers: Covers, readArchive: ReadArchive): Expanded {
  const { artifact, count, from, to } = covers;
  const archive = artifact && readArchive(artifact.sha256);
  if (!archive) {
    const problem = `summary ${id}: what it stands for (${count} messages) is not in the artifact store`;
    return { told: [], summaries: 1, problems: [problem] };
  }
  const { told, summaries, problems } = expand(archive, readArchive);
  const wrong: string[] = [];
  if (told.length !== count)
    wrong.push(`summary ${id}: it stands for ${count} messages, its artifact has ${told.length}`);
  // One that stays outside may be the first or the last of the range.
  if (!told.some(({ message }) => message.id === from || message.id === to))
    wrong.push(`summary ${id}: its artifact has neither ${from} nor ${to}, between which it stands`);
  return { told, summaries: summaries + 1, problems: [...wrong, ...problems] };
}

function add(expanded: Expanded, { told, summaries, problems }: Expanded): void {
  // One by one: a long conversation has more than a call takes arguments.
  for (const each of told) expanded.told.push(each);
  expanded.summaries += summaries;
  expanded.problems.push(...problems);
}

function coversOf(message: Message | undefined): Covers | undefined {
  return message && 'covers' in message ? (message.covers as Covers) : undefined;
}
