import { readFileSync } from 'node:fs';
import type { ReplayWorkerOptions, WorkerOptions } from '@temporalio/worker';
import { sealsFailures } from '../codec/data-converter.js';
import { hasTurnWorkflow, turnWorkflowsPath } from './bundler.js';
import { workflowBundle } from './workflow-bundle.js';

type Workflows = Pick<WorkerOptions, 'workflowsPath' | 'workflowBundle'>;

/** Workflows that are there stay; they are bundled with ours. Where there are none, ours are bundled already. */
export function workflowsOf(options: Partial<WorkerOptions | ReplayWorkerOptions>): Workflows {
  const { workflowsPath, workflowBundle: bundle, dataConverter = {} } = options;
  if (bundle) refuseBundleWithoutTurns(bundle);
  if (bundle || workflowsPath !== undefined) return {};
  const seals = sealsFailures(dataConverter);
  const needsMore =
    dataConverter.payloadConverterPath !== undefined ||
    (dataConverter.failureConverterPath !== undefined && !seals) ||
    (options.interceptors?.workflowModules ?? []).length > 0;
  return needsMore ? { workflowsPath: turnWorkflowsPath() } : { workflowBundle: workflowBundle(seals) };
}

function refuseBundleWithoutTurns(bundle: NonNullable<Workflows['workflowBundle']>): void {
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
  if (hasTurnWorkflow(code)) return;
  throw new TypeError(
    "workflowBundle: it was built without Holdfast's workflow, so that turns would wait for ever. Build it with the plugin: bundleWorkflowCode({ workflowsPath, plugins: [holdfast({ agents })] })",
  );
}
