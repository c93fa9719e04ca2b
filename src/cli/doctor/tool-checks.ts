import type { Message, ToolMessage } from '../../shared/messages.js';
import { textContent, textOf } from '../../shared/messages.js';
import type { ToolDescription } from '../../shared/model-port.js';
import { type Asked, userSays, wasRefused, weather } from './ask.js';
import { type Finding, failed, none, ok } from './check.js';
import type { AskModel, Findings } from './findings.js';
import { failedWith } from './refusals.js';

const QUESTION =
  'How is the weather in Paris and in Rome? Call get_weather once for each city, both calls in one reply.';

const tool: ToolDescription = {
  name: weather.name,
  description: weather.description,
  schema: weather.schema,
};

const NO_TOOLS =
  'Agents need tools. Use a model that is trained for them, and see that the server reads its calls ' +
  '(vLLM: --enable-auto-tool-choice --tool-call-parser; llama.cpp: --jinja; Ollama: a model tagged "tools").';

/** A call must come back as one, with whole arguments of the tool's schema. */
export async function toolCalls(found: Findings, askModel: AskModel): Promise<Finding> {
  const asked = await askModel([userSays(QUESTION)], { tools: [tool] });
  found.calls = asked;
  if (wasRefused(asked)) return failedWith(asked, asked.type === 'Model.BadRequest' ? NO_TOOLS : undefined);
  const [first] = asked.calls;
  if (first === undefined) {
    const says = asked.text.includes(weather.name)
      ? 'The call came as text, which nobody runs.'
      : 'The model answered in words and called nothing.';
    return failed(says, NO_TOOLS);
  }
  const bad = asked.calls.find((call) => call.do === 'answer');
  if (bad?.do === 'answer') {
    const why = bad.result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return failed(`A call came, but it can't be run. The model would be told: ${why}`, NO_TOOLS);
  }
  return ok(
    `${asked.calls.map((call) => call.do === 'run' && call.summary).join(', ')}: with whole arguments.`,
  );
}

/** The round after the calls: the model is given their results and has to go on. */
export async function toolResults({ calls }: Findings, askModel: AskModel): Promise<Finding> {
  if (!called(calls)) return none('not tried, for want of a call');
  const messages: Message[] = [userSays(QUESTION), calls.message, resultsOf(calls)];
  const asked = await askModel(messages, { tools: [tool] });
  if (wasRefused(asked)) return failedWith(asked, 'Without this no turn gets beyond its first tool.');
  if (asked.calls.length > 0) return none('The model called the tool again in place of an answer.');
  return ok(`The model went on with them: "${textOf(asked.message).trim().slice(0, 60)}".`);
}

export function parallelCalls({ calls }: Findings): Finding {
  if (!called(calls)) return none('not tried, for want of a call');
  const count = calls.calls.length;
  if (count > 1) return ok(`${count} calls in one reply.`);
  return none('One call a reply, though two were asked for. Agents work, in more model calls.');
}

function called(calls: Findings['calls']): calls is Asked {
  return calls !== undefined && !wasRefused(calls) && calls.calls.length > 0;
}

function resultsOf({ calls }: Asked): ToolMessage {
  return {
    role: 'tool',
    id: 'm2',
    content: calls.map(({ callId, name }) => ({
      type: 'tool_result',
      callId,
      name,
      status: 'ok',
      content: textContent(callId, 'Sunny, 21 degrees.'),
    })),
  };
}
