import type { PlannedCall } from '../shared/activities.js';
import { callSummary } from '../shared/call-summary.js';
import type { FinalCall } from '../shared/final-answer.js';
import type { JsonObject } from '../shared/json.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { refusedSubAgent } from '../shared/sub-agents.js';
import { notOfThisTurn } from '../shared/tool-results.js';
import type { TurnSettings } from '../shared/turn-settings.js';
import { type AskedAnswer, isAskedAnswer, type Question } from './person-requests.js';
import type { SleepCall } from './sleeper.js';
import type { CallToRun } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

/** The calls of a reply by what is to be done with them. */
type SortedCalls = {
  toRun: CallToRun[];
  questions: Question[];
  /** Results that a person has to approve. */
  answers: AskedAnswer[];
  sleeps: SleepCall[];
  final: FinalCall | undefined;
  /** Of those that are not run. */
  settled: ToolResultBlock[];
};

export function sortCalls(
  run: TurnRun,
  settings: TurnSettings,
  planned: readonly PlannedCall[],
): SortedCalls {
  const sorted: SortedCalls = {
    toRun: [],
    questions: [],
    answers: [],
    sleeps: [],
    final: undefined,
    settled: [],
  };
  const share = resultShare(settings, planned.length);
  for (const [index, call] of planned.entries()) {
    if (call.do === 'answer' && isAskedAnswer(call)) sorted.answers.push(call);
    else if (call.do === 'answer') sorted.settled.push(call.result);
    else if (call.do === 'final') sorted.final = call;
    else if (call.do === 'question') sorted.questions.push(call);
    else if (call.do === 'sleep') sorted.sleeps.push(call);
    else {
      const tool = settings.tools.find(({ name }) => name === call.name);
      const refused = tool
        ? (run.artifacts.refused(call) ?? (tool.agent && refusedSubAgent(call, settings)))
        : notOfThisTurn(call, settings);
      if (refused) sorted.settled.push(refused);
      else if (tool) sorted.toRun.push({ ...call, index, iteration: run.iteration - 1, tool, ...share });
    }
  }
  return sorted;
}

type ResultShare = Pick<CallToRun, 'maxResultBytes' | 'maxImageBytes'>;

/** With ten calls each may give what a result may usually take. */
export function resultShare({ roundResultBytes, roundImageBytes }: TurnSettings, calls: number): ResultShare {
  return {
    ...(roundImageBytes !== undefined && calls > 1 && { maxImageBytes: Math.floor(roundImageBytes / calls) }),
    ...(roundResultBytes !== undefined &&
      calls > 10 && { maxResultBytes: Math.max(2000, Math.floor(roundResultBytes / calls)) }),
  };
}

/** The call with what a person has put in the place of its arguments. */
export function withInput(run: TurnRun, call: CallToRun, input: JsonObject): CallToRun {
  const { inputArtifact: _written, ...rest } = call;
  const summary = callSummary(call.name, input);
  const artifacts = run.artifacts.within(input).map(({ name }) => name);
  return { ...rest, input, changed: true, summary, artifacts };
}
