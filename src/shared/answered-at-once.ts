import type { PlannedCall } from './activities.js';
import type { ArtifactNames } from './artifact-names.js';
import { resultOfFinal } from './final-answer.js';
import type { ToolResultBlock } from './messages.js';
import { refusedSubAgent } from './sub-agents.js';
import { notOfThisTurn } from './tool-results.js';
import type { TurnSettings } from './turn-settings.js';

/** Of the calls of a reply, the results that are there with it: nothing is run, and nobody is asked. */
export function answeredAtOnce(
  calls: readonly PlannedCall[],
  settings: TurnSettings | undefined,
  artifacts: ArtifactNames,
): ToolResultBlock[] {
  return calls.flatMap((call) => {
    if (call.do === 'answer') return call.asks ? [] : [call.result];
    if (call.do === 'question' || call.do === 'sleep' || !settings) return [];
    if (call.do === 'final') return settings.checksAnswer ? [] : [resultOfFinal(call, { v: 1 })];
    const tool = settings.tools.find(({ name }) => name === call.name);
    if (!tool) return [notOfThisTurn(call, settings)];
    return artifacts.refused(call) ?? (tool.agent && refusedSubAgent(call, settings)) ?? [];
  });
}
