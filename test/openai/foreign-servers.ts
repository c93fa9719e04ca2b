import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LLMock } from '@copilotkit/aimock';
import { freePorts } from '../../src/server/ports.js';
import type { Message } from '../../src/shared/messages.js';

/** Servers that we did not write: what they take for OpenAI's protocol must be what we take for it. */

export const look = { name: 'look', arguments: '{"id":"W1"}', id: 'call_look' };
export const ping = { name: 'ping', arguments: '{}', id: 'call_ping' };

export function said(text: string): Message {
  return { role: 'user', id: 'm0', content: [{ type: 'text', id: 't', text }] };
}

/** A question, the call that it led to, and the call's empty result. */
export const afterLook: Message[] = [
  said('where'),
  { role: 'assistant', id: 'm1', content: [{ type: 'tool_call', ...look }] },
  {
    role: 'tool',
    id: 'm2',
    content: [{ type: 'tool_result', callId: look.id, name: 'look', status: 'ok', content: [] }],
  },
];

/** A mock of many providers: it answers by what the last message has in it. */
export async function startAimock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, chunkSize: 7 });
  for (const { id } of [look, ping]) mock.onToolResult(id, { content: 'W1 is in 场 🌍.' });
  mock.onMessage('where', {
    content: 'I look.',
    reasoning: 'hm',
    toolCalls: [look, ping],
  });
  mock.onMessage('long', { content: 'half a reply', finishReason: 'length' });
  mock.onMessage('empty', { content: '' });
  mock.onMessage('json', { content: '{"a":1}' });
  const error = (message: string, code: string) => ({ error: { message, code } });
  mock.onMessage('limited', { ...error('slow down', 'rate_limit_exceeded'), status: 429, retryAfter: 3 });
  mock.onMessage('too much', {
    ...error('prompt is too long: 9 tokens > 8 maximum', 'context_length_exceeded'),
    status: 400,
  });
  mock.onMessage('cut', { content: 'this reply is cut before its end' }, { truncateAfterChunks: 3 });
  mock.onMessage('garbage', { content: 'x' }, { chaos: { malformedRate: 1 } });
  await mock.start();
  return mock;
}

export type Gateway = { url: string; stop(): void };

/** Portkey's gateway, as it is run before real providers: it translates their APIs into OpenAI's. */
export async function startGateway(): Promise<Gateway> {
  const [port = 0] = await freePorts(1);
  const program = fileURLToPath(import.meta.resolve('@portkey-ai/gateway/build/start-server.js'));
  const preload = new URL('../support/mutable-fetch.mjs', import.meta.url).href;
  const args = ['--import', preload, program, '--headless', `--port=${port}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await ready(child);
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => void child.kill() };
}

/** What makes the gateway speak to `url` as to this provider. */
export function gatewayHeaders(provider: string, url: string): Record<string, string> {
  return { 'x-portkey-provider': provider, 'x-portkey-custom-host': url };
}

async function ready(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit').then(() => {
    throw new Error('The gateway ended before it was ready.');
  });
  exited.catch(() => undefined);
  let printed = '';
  while (!printed.includes('Ready for connections')) {
    const [data] = await Promise.race([once(child.stdout ?? child, 'data'), exited]);
    printed += String(data);
  }
  child.stdout?.resume();
}
