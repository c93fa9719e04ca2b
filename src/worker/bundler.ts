import { realpathSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { BundleOptions } from '@temporalio/worker';
import { builtPath } from './bundle-path.js';

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];
type WebpackPlugin = Extract<NonNullable<WebpackConfig['plugins']>[number], (...args: never) => unknown>;
type Compilation = Parameters<
  Parameters<Parameters<WebpackPlugin>[0]['hooks']['finishMake']['tapPromise']>[1]
>[0];
type Module = Compilation['modules'] extends Set<infer Each> ? Each : never;

/** The name by which src/worker/workflow-exports.cts has the user's workflows. */
const USER_WORKFLOWS = '__holdfast_user_workflows';
/** A key that it exports, and that no minifier renames. */
const MARKER = 'holdfast:workflows';

/** Whether a bundle was built with the plugin, or is ours (scripts/bundle-workflows.mjs). */
export function hasTurnWorkflow(code: string): boolean {
  return code.includes(MARKER);
}

/** The turn alone, to be bundled with what the user's worker needs beside it, such as a payload converter. */
export function turnWorkflowsPath(): string {
  return builtPath('workflows/index.js');
}

/**
 * Adds Holdfast's workflow to those of `workflowsPath`. The SDK has no hook for that, and one path: so it is given a
 * module of ours that exports both (docs/decisions). A second time nothing changes.
 */
export function withTurnWorkflow(options: BundleOptions): BundleOptions {
  const both = builtPath('worker/workflow-exports.cjs');
  const { workflowsPath, webpackConfigHook: theirs = (config: WebpackConfig) => config } = options;
  if (workflowsPath === both) return options;
  return {
    ...options,
    workflowsPath: both,
    webpackConfigHook: (given) => {
      const config = theirs(given);
      const alias = { ...config.resolve?.alias, [`${USER_WORKFLOWS}$`]: resolve(workflowsPath) };
      const plugins = [...(config.plugins ?? []), refuseAgents];
      return { ...config, resolve: { ...config.resolve, alias }, plugins };
    },
  };
}

/** Says what is wrong before webpack tells of each Node module that an agent's tools load. */
const refuseAgents: WebpackPlugin = (compiler) => {
  compiler.hooks.finishMake.tap('holdfast', (compilation) => {
    const programs = realpathSync(builtPath('entries'));
    for (const module of compilation.modules) {
      const path = pathOf(module);
      if (path && dirname(path) === programs)
        throw new TypeError(problemOf(importersOf(compilation, module)));
    }
  });
};

function pathOf(module: Module): string | null {
  return module.nameForCondition();
}

/** The files that lead to the module, from the user's workflows on. */
function importersOf(compilation: Compilation, module: Module): string[] {
  const importers: string[] = [];
  let issuer = compilation.moduleGraph.getIssuer(module);
  for (; issuer; issuer = compilation.moduleGraph.getIssuer(issuer)) {
    const path = pathOf(issuer);
    if (!path || path === realpathSync(builtPath('worker/workflow-exports.cjs'))) break;
    importers.unshift(relative(process.cwd(), path));
  }
  return importers;
}

function problemOf(importers: readonly string[]): string {
  const chain = [...importers, 'holdfast'].join(' imports ');
  return `A workflow can't import an agent, only its type: ${chain}.
Write: import type { analyst } from './agent.js', then: runTurn<typeof analyst>({ agent: 'analyst', prompt: '...' }).
What a workflow needs of Holdfast is in 'holdfast/workflows'.`;
}
