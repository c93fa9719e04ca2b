import { type Asked, ask, type Refused, userSays, wasRefused } from './ask.js';
import { type Check, type Finding, failed, NOT_TRIED, none, ok } from './check.js';
import type { Endpoint } from './endpoint.js';
import { type AskModel, type Findings, seconds } from './findings.js';
import { contextWindow, offered } from './model-list.js';
import { PAGE_ADVICE, reach } from './reach.js';
import { failedWith, isOfRegion } from './refusals.js';
import { streaming } from './streaming.js';
import { structuredOutput } from './structured-output.js';
import { parallelCalls, toolCalls, toolResults } from './tool-checks.js';

/** About five tiny requests, and one for the list of models. */
export const REQUESTS = 5;

export function modelChecks(endpoint: Endpoint): Check[] {
  const found: Findings = {};
  const askModel: AskModel = async (messages, more, options) => {
    const stream = found.streamed === undefined || !wasRefused(found.streamed);
    const asked = await ask(endpoint, messages, more, { stream, ...found.options, ...options });
    if (!wasRefused(asked)) {
      found.reasoned ||= asked.response.content.some((part) => part.type === 'reasoning' && part.text !== '');
    }
    return asked;
  };
  const checks: Record<string, () => Promise<Finding> | Finding> = {
    reachable: () => reachable(endpoint, found),
    key: () => keyAccepted(endpoint, found, askModel),
    model: () => modelKnown(endpoint, found),
    reply: () => ordinaryReply(found),
    streaming: () => streaming(endpoint, found, askModel),
    'tool calls': () => toolCalls(found, askModel),
    'tool results': () => toolResults(found, askModel),
    'parallel calls': () => parallelCalls(found),
    'structured output': () => structuredOutput(endpoint, askModel),
    reasoning: () => reasoning(found),
    usage: () => usage(found),
    'context window': () => windowTold(endpoint, found),
  };
  return Object.entries(checks).map(([name, run]) => ({
    name,
    run: async () => (found.hopeless ? none(NOT_TRIED) : await run()),
  }));
}

async function reachable(endpoint: Endpoint, found: Findings): Promise<Finding> {
  const answer = await reach(endpoint);
  if ('says' in answer) {
    found.hopeless = true;
    return answer;
  }
  found.answer = answer;
  return ok(`${endpoint.url} answers, in ${answer.ms} ms.`, { url: endpoint.url, ms: answer.ms });
}

/** A list of models may be open to all, so that only a reply tells; it is asked for here. */
async function keyAccepted(endpoint: Endpoint, found: Findings, askModel: AskModel): Promise<Finding> {
  if (endpoint.model === undefined && found.answer?.status !== 401) {
    return none('Not known before a model is named.');
  }
  if (found.answer?.status === 401) {
    found.hopeless = true;
    return keyRefused(endpoint);
  }
  const question = [userSays('Answer with the single word: ready')];
  found.reply = await askModel(question, {}, { stream: false });
  const refused = wasRefused(found.reply) ? found.reply : undefined;
  const type = refused?.type ?? '';
  if (refused === undefined || type === 'Model.EmptyReply')
    return ok(endpoint.key === '' ? 'None is set, and none is asked for.' : 'It is accepted.');
  const isTheKeys = KEY_FAULTS.includes(type) && !isOfRegion(refused);
  if (isTheKeys) found.hopeless = true;
  if (type === 'Model.Authentication') return keyRefused(endpoint);
  // Whatever else is wrong, a server may have found out before it looked at the key.
  return isTheKeys ? failedWith(refused) : none('Not known, as no reply came.');
}

/** With these no request of this key succeeds. */
const KEY_FAULTS = ['Model.Authentication', 'Model.PermissionDenied', 'Model.QuotaExceeded'];

function keyRefused({ key, url }: Endpoint): Finding {
  if (key === '') return failed('The server asks for a key.', 'Set OPENAI_API_KEY, on the worker too.');
  return failed(
    'The server refuses the key (401).',
    `Set OPENAI_API_KEY to a key of ${new URL(url).host}, without spaces or quotes.`,
  );
}

/** So answers what is no model server. */
const NO_API = ['Model.NotFound', 'Model.BadResponse'];

function modelKnown({ model }: Endpoint, found: Findings): Finding {
  const { models, isPage } = found.answer ?? {};
  if (isPage && found.reply && wasRefused(found.reply) && NO_API.includes(found.reply.type)) {
    found.hopeless = true;
    return failed(`Nothing of the API is at this address. ${found.reply.problem}`, PAGE_ADVICE);
  }
  const refused = typeOf(found.reply) === 'Model.NotFound';
  if (model === undefined || refused) {
    found.hopeless = true;
    const says = model === undefined ? 'No model is named.' : `The server does not know "${model}".`;
    const names = models?.length
      ? `The server has ${offered(model, models)}.`
      : 'The server lists no models.';
    return failed(says, `${names} Set OPENAI_MODEL, or give --model.`);
  }
  if (!models) return none(`"${model}"; the server lists no models to look it up in.`);
  if (models.some(({ id }) => id === model)) return ok(`"${model}" is in the server's list.`, { model });
  if (found.reply && !wasRefused(found.reply))
    return ok(`"${model}" is taken, though it is not listed.`, { model });
  return none(`"${model}" is not in the server's list.`, `The server has ${offered(model, models)}.`);
}

function ordinaryReply(found: Findings): Finding {
  const { reply } = found;
  if (reply === undefined) return none(NOT_TRIED);
  if (wasRefused(reply)) {
    if (isOfRegion(reply)) found.hopeless = true;
    return failedWith(reply);
  }
  return ok(`"${shortened(reply.text)}" after ${seconds(reply.ms)}.`, { ms: reply.ms });
}

function reasoning({ reasoned }: Findings): Finding {
  return reasoned
    ? ok('Its text is shown, and goes back where the model wants it.')
    : none('None was shown: the model does not reason, or keeps it to itself.');
}

function usage({ reply, streamed }: Findings): Finding {
  const told = [streamed, reply].map((asked) =>
    asked && !wasRefused(asked) ? asked.response.usage : undefined,
  );
  const [first] = told.filter((each) => each !== undefined);
  if (first?.inputTokens === undefined) {
    return none('No tokens are told: turns count their calls as of unknown cost.');
  }
  const { inputTokens, outputTokens = 0 } = first;
  const says = `Tokens are told: ${inputTokens} read and ${outputTokens} written in one reply`;
  return told[0] || streamed === undefined || wasRefused(streamed)
    ? ok(`${says}.`, { inputTokens, outputTokens })
    : none(`${says}; not in a stream.`);
}

function windowTold({ model }: Endpoint, { answer }: Findings): Finding {
  const tokens = contextWindow(answer?.models?.find(({ id }) => id === model)?.entry);
  if (tokens === undefined) return none('The server does not tell how much the model takes.');
  return ok(`${tokens.toLocaleString('en')} tokens.`, { tokens });
}

function typeOf(asked: Asked | Refused | undefined): string | undefined {
  return asked && wasRefused(asked) ? asked.type : undefined;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
