import { ModelError } from '../../shared/model-port.js';
import { localModels } from '../model-access.js';
import { UsageError } from '../usage-error.js';
import { type Check, type Finding, failed, none, ok } from './check.js';
import { type Endpoint, endpointOf } from './endpoint.js';
import { offered } from './model-list.js';
import { reach } from './reach.js';

const MODEL_TRY = 'What it can do, by five tiny requests: holdfast doctor --model';

/** Whether a model is set up and answers, by what costs nothing there. */
export function accessChecks(env: NodeJS.ProcessEnv): Check[] {
  return [{ name: 'model', run: () => modelAccess(env) }];
}

async function modelAccess(env: NodeJS.ProcessEnv): Promise<Finding> {
  if (!env['OPENAI_API_KEY'] && !env['OPENAI_BASE_URL']) return await nothingSet();
  const endpoint = endpointFrom(env);
  if ('says' in endpoint) return endpoint;
  const answer = await reach(endpoint);
  if ('says' in answer) return answer;
  const { url, model, key } = endpoint;
  if (answer.status === 401 || answer.status === 403) {
    return key === ''
      ? failed(`${url} asks for a key.`, 'Set OPENAI_API_KEY, on the worker too.')
      : failed(
          `${url} refuses the key (${answer.status}).`,
          `Set OPENAI_API_KEY to a key of ${new URL(url).host}.`,
        );
  }
  const { models } = answer;
  const has = models?.length ? `The server has ${offered(model, models)}.` : '';
  if (model === undefined)
    return failed('OPENAI_MODEL is not set.', `Set it to a name that the server knows. ${has}`);
  if (models && !models.some(({ id }) => id === model)) {
    return none(`"${model}" is not in the list of ${url}, and may work all the same.`, `${has} ${MODEL_TRY}`);
  }
  return ok(`"${model}" at ${url} answers, in ${answer.ms} ms.`, { model, url }, MODEL_TRY);
}

function endpointFrom(env: NodeJS.ProcessEnv): Endpoint | Finding {
  try {
    return endpointOf({ api: 'chat', timeoutMs: 10_000 }, env);
  } catch (error) {
    if (error instanceof ModelError || error instanceof UsageError) return failed(error.message);
    throw error;
  }
}

async function nothingSet(): Promise<Finding> {
  const local = await localModels();
  const says = 'Neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.';
  const ways =
    'Set OPENAI_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL for any server that speaks the same protocol.';
  if (!local) return failed(says, `${ways} Without either: npm start shows Holdfast at work.`);
  const model = local.models[0] ?? 'MODEL';
  return failed(
    says,
    `One answers on this machine: export OPENAI_BASE_URL=${local.url} OPENAI_MODEL=${model}`,
  );
}
