import { expect, onTestFinished } from 'vitest';
import { textOf } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import {
  reasoning,
  reply,
  type ScriptEntry,
  type ServeOptions,
  serveScriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { holdfast } from '../support/run-cli.js';

export const KEY = 'sk-very-secret-0123456789';

type Report = { ok: boolean; checks: { check: string; status: string; says: string; advice?: string }[] };

/** What a good endpoint answers; a test takes one of its answers away. */
function answer(request: ModelRequest): ScriptEntry {
  if (request.output) return text('{"city":"Paris","country":"France"}');
  if (request.tools.length > 0)
    return reply(toolCall('get_weather', { city: 'Paris' }), toolCall('get_weather', { city: 'Rome' }));
  return reply(reasoning('easy'), text(asked(request).includes('Count') ? '1 2 3 4 5 6 7 8 9 10' : 'ready'));
}

export function asked(request: ModelRequest): string {
  return request.messages.map(textOf).join(' ');
}

type Answers = (request: ModelRequest) => ScriptEntry | undefined;

export async function serve(answers: Answers = () => undefined, options: ServeOptions = {}) {
  const served = await serveScriptedModel(
    [(_, request) => answers(request) ?? answer(request), (_, request) => answers(request) ?? text('Sunny.')],
    options,
  );
  onTestFinished(() => served.close());
  return served;
}

export async function doctor(args: string[], env: NodeJS.ProcessEnv) {
  const { exitCode, stdout, stderr } = await holdfast(['doctor', '--model', ...args], env).finished;
  expect(stdout + stderr).not.toContain(KEY);
  return { exitCode, stdout, stderr };
}

export async function reportOn(url: string, args: string[] = []) {
  const env = { OPENAI_BASE_URL: url, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'scripted' };
  const { exitCode, stdout } = await doctor(['--json', '--timeout', '20', ...args], env);
  const report = JSON.parse(stdout) as Report;
  const finding = (name: string) => report.checks.find(({ check }) => check === name);
  const statuses = Object.fromEntries(report.checks.map(({ check, status }) => [check, status]));
  expect(exitCode).toBe(report.ok ? 0 : 1);
  return { report, finding, statuses, advice: report.checks.map((each) => each.advice ?? '').join(' ') };
}
