import type { ToolCallBlock, ToolResultBlock, ToolResultCause, ToolResultStatus } from './messages.js';
import { wireText } from './wire-text.js';

type CalledTool = Pick<ToolCallBlock, 'id' | 'name'>;

/** A result that no tool wrote: a text for the model and, in `cause`, the same for machines. */
export function answer(
  call: CalledTool,
  status: ToolResultStatus,
  cause: ToolResultCause,
  text: string,
): ToolResultBlock {
  return {
    type: 'tool_result',
    callId: call.id,
    name: call.name,
    status,
    content: [{ type: 'text', id: `${call.id}.0`, text: wireText(text) }],
    cause,
  };
}

/** `available` in the order in which they are to be told. */
export function unknownTool(
  call: CalledTool,
  requested: string,
  available: readonly string[],
): ToolResultBlock {
  const offer =
    available.length > 0 ? `Available tools: ${available.join(', ')}.` : 'No tools are currently available.';
  return answer(call, 'error', 'unknown_tool', `Tool '${requested}' is not available. ${offer}`);
}

/** A newer worker has planned a call of a tool that the turn did not begin with. */
export function notOfThisTurn(
  call: { callId: string; name: string },
  { tools }: { tools: readonly { name: string }[] },
): ToolResultBlock {
  const names = tools.map(({ name }) => name).sort();
  return unknownTool({ id: call.callId, name: call.name }, call.name, names);
}

export function invalidJson(call: CalledTool, problem: string): ToolResultBlock {
  const text = `Error: the arguments of ${call.name} are not valid JSON (${problem}). It was not run. Send the call again with one JSON object.`;
  return answer(call, 'error', 'invalid_json', text);
}

/** `problems`: one line each, with the path and what was expected there. */
export function invalidArguments(call: CalledTool, problems: readonly string[]): ToolResultBlock {
  const list = problems.map((problem) => `\n- ${problem}`).join('');
  return answer(
    call,
    'error',
    'invalid_arguments',
    `Error: the arguments of ${call.name} don't fit its schema. It was not run.${list}`,
  );
}

/** They are too long to be carried, and the place for what is too long has failed. */
export function argumentsNotKept(call: CalledTool, bytes: number, problem: string): ToolResultBlock {
  const text = `Error: the arguments of ${call.name} take ${bytes} bytes and could not be stored (${problem}). It was not run. Send shorter arguments, in several calls.`;
  return answer(call, 'error', 'arguments_not_kept', text);
}

export function cutByOutputLimit(call: CalledTool): ToolResultBlock {
  const text = `Error: the reply reached the output limit, so the call of ${call.name} may be incomplete. It was not run. Send it again in a shorter form, or in several calls.`;
  return answer(call, 'error', 'cut_by_output_limit', text);
}

export function cutByRefusal(call: CalledTool): ToolResultBlock {
  const text = `Error: the reply that called ${call.name} was refused or filtered before its end. It was not run.`;
  return answer(call, 'error', 'cut_by_refusal', text);
}

export function notCallableNow(call: CalledTool): ToolResultBlock {
  const text = `Error: ${call.name} was not run: no tool can be called in this reply.`;
  return answer(call, 'error', 'not_callable_now', text);
}

export function toolThrew(call: CalledTool, text: string): ToolResultBlock {
  return answer(call, 'error', 'tool_threw', `Error: ${text}`);
}

/** What the tool needs could not be set up; the next call tries again. */
export function setupFailed(call: CalledTool, problem: string): ToolResultBlock {
  const text = `Error: what ${call.name} needs could not be set up: ${problem}. It was not run. The next call tries to set it up again.`;
  return answer(call, 'error', 'setup_failed', text);
}

/** It ran, and what it returned, `returned`, is not what the tool's `output` says. `problems`: a line each. */
export function misfit(
  call: CalledTool,
  problems: readonly string[],
  returned: ToolResultBlock['content'],
): ToolResultBlock {
  const list = problems.map((problem) => `\n- ${problem}`).join('');
  const rest = returned.length > 0 ? 'What it returned:' : 'It returned nothing.';
  const text = `Error: ${call.name} ran, and what it returned does not fit its output schema, which is a fault of the tool. What it did stays done.${list}\n${rest}`;
  const told = answer(call, 'error', 'invalid_result', text);
  const after = returned.map((block, index) => ({ ...block, id: `${call.id}.${index + 1}` }));
  return { ...told, content: [...told.content, ...after] };
}

export function timedOut(call: CalledTool, seconds: number, mayStillRun: boolean): ToolResultBlock {
  const rest = mayStillRun ? ' It did not stop when asked and may still be running.' : '';
  return answer(
    call,
    'error',
    'timed_out',
    `Error: ${call.name} took longer than ${seconds} s and was stopped. What it did until then stays done.${rest}`,
  );
}

const ENDINGS: Record<string, string> = {
  canceled: 'was canceled',
  terminated: 'was terminated',
  timed_out: 'timed out',
  failed: 'failed',
};

/** `turnEnded`: how. Any other ending with a call that has no result yet is an interrupt. */
function ending(turnEnded: string): string {
  return `the turn ${ENDINGS[turnEnded] ?? 'was interrupted'}`;
}

export function notStarted(call: CalledTool, turnEnded = 'interrupted'): ToolResultBlock {
  return answer(
    call,
    'interrupted',
    'not_started',
    `${call.name} was not started: ${ending(turnEnded)} before its time came. It had no effect.`,
  );
}

export function wasRunning(call: CalledTool): ToolResultBlock {
  return answer(
    call,
    'interrupted',
    'was_running',
    `${call.name} was running when the turn was interrupted, and was stopped. Which of its effects took place is unknown.`,
  );
}

export function mayStillRun(call: CalledTool, turnEnded = 'interrupted'): ToolResultBlock {
  return answer(
    call,
    'interrupted',
    'may_still_run',
    `${call.name} was running when ${ending(turnEnded)} and did not stop in time: it may still be running. Its effects are unknown.`,
  );
}

/** `isRepeatable`: the tool may run again, and did, until its tries were used up. */
export function workerLost(call: CalledTool, isRepeatable = false): ToolResultBlock {
  const repeated = isRepeatable ? 'and its tries are used up' : 'and it was not run again';
  return answer(
    call,
    'unknown',
    'worker_lost',
    `The process that ran ${call.name} was lost before it told the result. Whether ${call.name} took effect is unknown, ${repeated}. Find out before you call it again.`,
  );
}

/** The server that a tool runs on was lost, or gave no answer in time, after it had the call. */
export function serverLost(call: CalledTool, text: string): ToolResultBlock {
  return answer(call, 'unknown', 'server_lost', text);
}

export function didNotHappen(call: CalledTool): ToolResultBlock {
  return answer(
    call,
    'error',
    'did_not_happen',
    `The process that ran ${call.name} was lost before it was done. A check has shown that it did not take effect. Call it again if it is still wanted.`,
  );
}

/** `why`: the rule or the mode. */
export function deniedByRule(call: CalledTool, why: string): ToolResultBlock {
  const text = `${call.name} was not run: ${why} denies this call. Do not try to get around it; go on without it, or say what you would need.`;
  return answer(call, 'denied', 'denied_by_rule', text);
}

export function deniedByPerson(call: CalledTool, reason: string | undefined): ToolResultBlock {
  const because = reason === undefined ? '' : ` The reason: ${reason}`;
  return answer(
    call,
    'denied',
    'denied_by_person',
    `${call.name} was not run: the user denied it.${because}`,
  );
}

export function deniedByTimeout(call: CalledTool): ToolResultBlock {
  const text = `${call.name} was not run: it needs an approval, and nobody decided in time.`;
  return answer(call, 'denied', 'denied_by_timeout', text);
}

export function approvalFailed(call: CalledTool, problem: string): ToolResultBlock {
  const text = `Error: whether ${call.name} may run could not be decided: ${problem}. It was not run.`;
  return answer(call, 'error', 'approval_failed', text);
}

export function concurrencyKeyFailed(call: CalledTool, problem: string): ToolResultBlock {
  const text = `Error: beside which calls ${call.name} may run could not be decided: ${problem}. It was not run.`;
  return answer(call, 'error', 'concurrency_key_failed', text);
}

/** What a person said. */
export function answered(call: CalledTool, text: string): ToolResultBlock {
  const content = [
    { type: 'text' as const, id: `${call.id}.0`, text: text === '' ? '(an empty answer)' : text },
  ];
  return { type: 'tool_result', callId: call.id, name: call.name, status: 'ok', content };
}

export function notAnswered(call: CalledTool): ToolResultBlock {
  return answer(call, 'error', 'not_answered', 'Nobody answered in time. Go on without an answer.');
}

export function noResultRecorded(call: CalledTool): ToolResultBlock {
  return answer(
    call,
    'interrupted',
    'no_result_recorded',
    `No result of ${call.name} was recorded: it was interrupted. Whether it took effect is unknown.`,
  );
}
