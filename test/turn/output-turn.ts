import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { AgentOptions } from '../../src/define/define-agent.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { replay, type Script, type ServedModel, text } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith, echoTool, servedModel } from './agents.js';

export const answer = z.object({ resolved: z.boolean(), summary: z.string() });
/** An answer that fits, as a value and as a reply. */
export const fits = { resolved: true, summary: 'refunded' };
export const json = text(JSON.stringify(fits));
export const prose = text('I have refunded it.');
export const ASK = /^Now give your final answer as JSON, and nothing else/;

type Options = {
  agent?: Partial<AgentOptions>;
  /** The agent has no output. */
  inWords?: boolean;
  model?: OpenAiOptions;
  during?: (running: { turn: TurnHandle; server: ServedModel }) => Promise<unknown>;
};

/** A turn of an agent with an output and a tool, and what holds of each: its history replays, and it tells the same. */
export async function outputTurn(
  script: Script,
  { agent, inWords = false, model: options = {}, during }: Options = {},
) {
  const { server, model } = await servedModel(script, options);
  const made = agentWith([echoTool().tool], { model, ...(!inWords && { output: answer }), ...agent });
  return await withWorker(made, async ({ start }) => {
    const turn = await start('Refund it.');
    await during?.({ turn, server });
    const outcome = await turn.result();
    const transcript = await turn.transcript();
    expect(transcript).toEqual(outcome.messages);
    expect(transcriptProblems(transcript)).toEqual([]);
    expect(server.refusals).toEqual([]);
    await replay(turn.turnId);
    return { outcome, transcript, bodies: server.requests.map(({ body }) => body) };
  });
}

export function untilAsked(server: ServedModel, count: number): Promise<void> {
  return vi.waitFor(() => expect(server.requests).toHaveLength(count), { timeout: 20_000, interval: 20 });
}
