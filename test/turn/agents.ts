import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { type Agent, type AgentOptions, type AnyTool, defineAgent } from '../../src/define/define-agent.js';
import { defineTool, type ToolContext, type ToolOptions } from '../../src/define/define-tool.js';
import type { Message, ToolResultBlock } from '../../src/shared/messages.js';
import type { Model } from '../../src/shared/model-port.js';
import {
  type Script,
  type ScriptedReply,
  type ServedModel,
  scriptedModel,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';

/** An agent with these tools; its model comes with each turn. */
export function agentWith(
  tools: NonNullable<AgentOptions['tools']>,
  options: Partial<AgentOptions> = {},
): Agent {
  return defineAgent({ name: 'tester', instructions: 'Test.', model: scriptedModel([]), tools, ...options });
}

type Policies = Partial<
  Pick<
    ToolOptions<z.ZodType, unknown>,
    'idempotent' | 'parallel' | 'timeout' | 'approval' | 'effects' | 'repeatable' | 'retry' | 'execution'
  >
>;

/** A tool that keeps what its body was run with. */
export function countedTool<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (args: z.output<z.ZodObject<Shape>>, context: ToolContext) => unknown = () => `${name} ran`,
  policies: Policies = {},
): { tool: AnyTool; runs: z.output<z.ZodObject<Shape>>[] } {
  const runs: z.output<z.ZodObject<Shape>>[] = [];
  const tool = defineTool({
    name,
    description: name,
    input: z.object(shape),
    ...policies,
    run(args, context) {
      runs.push(args);
      return run(args, context);
    },
  });
  return { tool, runs };
}

/** Says its text again. */
export function echoTool(): { tool: AnyTool; runs: { text: string }[] } {
  return countedTool('echo', { text: z.string() }, ({ text }) => text);
}

/** The script behind the real adapter and a server that refuses what providers refuse; closed after the test. */
export async function servedModel(
  script: Script,
  options: OpenAiOptions = {},
): Promise<{ server: ServedModel; model: Model }> {
  const server = await serveScriptedModel(script);
  onTestFinished(() => server.close());
  return {
    server,
    model: openai({ baseURL: server.url, apiKey: 'test-key', model: 'scripted', ...options }),
  };
}

export function rolesOf(messages: readonly Message[]): string[] {
  return messages.map((message) => message.role);
}

export function textOfResult(result: ToolResultBlock | undefined): string {
  return (result?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Something that tests wait for and tool bodies bring about, or the other way round. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A model call that answers when the test says so, by a text or another reply. */
export function heldReply(answer: string | ScriptedReply) {
  const [asked, answers] = [gate(), gate()];
  const entry = async () => {
    asked.open();
    await answers.opened;
    return typeof answer === 'string' ? text(answer) : answer;
  };
  return { entry, asked: asked.opened, answer: answers.open };
}

/** Resolves when the signal fires. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
