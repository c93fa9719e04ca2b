import { type Script, scriptedModel } from 'holdfast/testing';

const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL = 'gpt-5.5' } = process.env;

/** The environment's model where there is one, else a model that says what is written. */
export function modelOr(script: Script) {
  return OPENAI_API_KEY || OPENAI_BASE_URL ? OPENAI_MODEL : scriptedModel(script);
}
