import type { LedgerLine } from './ledger.js';

/** What the ledger shows: how often each tool's body ran, and for how many calls. */
export function countExecutions(lines: readonly LedgerLine[]): { lines: string[]; eachRanOnce: boolean } {
  const began = lines.filter((line) => line.event === 'began');
  const tools = [...new Set(began.map((line) => line.tool))];
  const told = tools.map((tool) => {
    const runs = began.filter((line) => line.tool === tool);
    const calls = new Set(runs.map((line) => line.callId)).size;
    const times =
      runs.length === calls
        ? calls === 1
          ? 'once'
          : `once for each of ${calls} calls`
        : `${runs.length} times for ${calls} calls`;
    return `${tool} ran ${times}${whoAsked(lines, tool)}`;
  });
  const calls = new Set(began.map((line) => line.callId));
  return { lines: told, eachRanOnce: began.length > 0 && began.length === calls.size };
}

function whoAsked(lines: readonly LedgerLine[], tool: string): string {
  const asked = lines.find((line) => line.tool === tool && line.event === 'asked');
  const ran = lines.find((line) => line.tool === tool && line.event === 'began');
  if (!asked || !ran) return '';
  return ` (in pid ${ran.pid}, which was killed; pid ${asked.pid} asked what came of it instead of running it again)`;
}
