import type { Message } from 'holdfast/client';
import type { ReadArchive } from './record.js';

type Covers = { from: string; to: string; count: number; artifact?: { sha256: string } };

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
    if (covers) add(expanded, message.id, covers, readArchive);
    else expanded.told.push({ message, moved: coversOf(transcript[index + 1]) !== undefined });
  }
  return expanded;
}

function add(expanded: Expanded, id: string, covers: Covers, readArchive: ReadArchive): void {
  expanded.summaries += 1;
  const { artifact, count, from, to } = covers;
  const archive = artifact && readArchive(artifact.sha256);
  if (!archive) {
    expanded.problems.push(
      `summary ${id}: what it stands for (${count} messages) is not in the artifact store`,
    );
    return;
  }
  const { told, summaries, problems } = expand(archive, readArchive);
  if (told.length !== count)
    problems.push(`summary ${id}: it stands for ${count} messages, its artifact has ${told.length}`);
  const ends = told.flatMap(({ message }) => [message.id]);
  // One that stays outside may be the first or the last of the range.
  if (!ends.includes(from) && !ends.includes(to))
    problems.push(`summary ${id}: its artifact has neither ${from} nor ${to}, between which it stands`);
  expanded.told.push(...told);
  expanded.summaries += summaries;
  expanded.problems.push(...problems);
}

function coversOf(message: Message | undefined): Covers | undefined {
  return message && 'covers' in message ? (message.covers as Covers) : undefined;
}
