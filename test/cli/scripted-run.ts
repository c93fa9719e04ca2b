import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Script, type ServedModel, serveScriptedModel } from '../../src/testing/index.js';
import { holdfast, type RunningProcess } from '../support/run-cli.js';

/** `holdfast run` in a folder, with a model that answers by the script; `served` is closed after the test. */
export async function run(
  script: Script,
  args: string[],
  folder = workspace(),
): Promise<RunningProcess & { served: ServedModel }> {
  const served = await serveScriptedModel(script);
  onTestFinished(() => served.close());
  const env = { OPENAI_BASE_URL: served.url, OPENAI_MODEL: 'scripted' };
  return { ...holdfast(['run', '--workspace', folder, ...args], env), served };
}

export function workspace(): string {
  return mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
}
