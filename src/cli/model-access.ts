import { UsageError } from './usage-error.js';

const OLLAMA_URL = 'http://localhost:11434/v1';
const PROBE_MS = 700;
const OPENAI_MODEL = 'gpt-5.5';

/**
 * The model's name for this environment. Throws a UsageError that says what to set where no model can be reached;
 * if a local server that speaks OpenAI's protocol answers on Ollama's port, it is offered.
 */
export async function modelOf(
  env: NodeJS.ProcessEnv,
  chosen: string | undefined,
  localUrl: string = OLLAMA_URL,
): Promise<string> {
  const model = chosen ?? env['OPENAI_MODEL'];
  if (env['OPENAI_BASE_URL']) {
    if (model) return model;
    throw new UsageError(
      'OPENAI_BASE_URL is set, but no model is named. Set OPENAI_MODEL, or give --model, to a name that the server knows.',
    );
  }
  if (env['OPENAI_API_KEY']) return model ?? OPENAI_MODEL;
  throw new UsageError(
    [
      'No model can be reached: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.',
      '  export OPENAI_API_KEY=...                     a key of OpenAI',
      '  export OPENAI_BASE_URL=http://host:port/v1    any server that speaks the same protocol',
      ...(await localOffer(localUrl)),
      'To see Holdfast work without a key: holdfast init my-agent writes a project whose model is scripted',
    ].join('\n'),
  );
}

/** The models of a server on Ollama's port of this machine, where one answers. */
export async function localModels(
  url: string = OLLAMA_URL,
): Promise<{ url: string; models: string[] } | undefined> {
  const models = await modelsAt(url);
  return models && { url, models };
}

async function localOffer(url: string): Promise<string[]> {
  const { models } = (await localModels(url)) ?? {};
  if (!models) return [];
  const [first = 'MODEL'] = models;
  return [
    `A model server answers on this machine (${url}; it has ${models.slice(0, 5).join(', ') || 'no model yet'}). To use it:`,
    `  export OPENAI_BASE_URL=${url} OPENAI_MODEL=${first}`,
  ];
}

async function modelsAt(url: string): Promise<string[] | undefined> {
  try {
    const response = await fetch(`${url}/models`, { signal: AbortSignal.timeout(PROBE_MS) });
    const body = (await response.json()) as { data?: { id?: unknown }[] };
    return response.ok && Array.isArray(body.data) ? body.data.map(({ id }) => String(id)) : undefined;
  } catch {
    return undefined;
  }
}
