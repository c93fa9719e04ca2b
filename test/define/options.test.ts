import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { mcpServer } from '../../src/define/mcp-server.js';
import { openai } from '../../src/index.js';
import { agentWith } from '../turn/agents.js';

describe('an option of an agent that says nothing is refused, with its place and what there is:', () => {
  test.each<[RegExp, object]>([
    [/^Agent tester: there is no "planing"; there are .*planning/, { planing: {} }],
    [/^Agent tester, limits: there is no "iteratons"; there are iterations, /, { limits: { iteratons: 4 } }],
    [/^Agent tester, limits.cost: there is no "eur"; there are usd/, { limits: { cost: { eur: 1 } } }],
    [/^Agent tester, loopGuard: there is no "stop"; there are tellAfter, /, { loopGuard: { stop: 4 } }],
    [/^Agent tester, closing: "yes" is not "none" or "answer"/, { closing: 'yes' }],
    [/^Agent tester, planning: there is no "evry"; there are every/, { planning: { evry: 3 } }],
    [/^Agent tester, planning: expected an object, as in \{\}/, { planning: true }],
    [/^Agent tester, compaction: there is no "windw"; there are at, to, /, { compaction: { windw: 4 } }],
    [/^Agent tester, compaction.model: "" is no model/, { compaction: { model: '' } }],
    [/^Agent tester, compaction: expected an object/, { compaction: true }],
    [/^Agent tester, model: "" is no model/, { model: '' }],
    [/^Agent tester, model: undefined is no model/, { model: undefined }],
    [/^Agent tester, instructions: give a text/, { instructions: undefined }],
    [/^Agent tester, finalAnswer: "yes" is not true or false/, { finalAnswer: 'yes' }],
    [/^Agent tester, permissions: there is no "alow"; there are mode, allow/, { permissions: { alow: [] } }],
  ])('%s', (message, options) => {
    expect(() => agentWith([], options as Partial<AgentOptions>)).toThrow(message);
    expect(() => agentWith([], options as Partial<AgentOptions>)).toThrow(TypeError);
  });
});

describe('so is one of a tool:', () => {
  test.each<[RegExp, object]>([
    [/^Tool pay: there is no "idempotant"; there are .*idempotent/, { idempotant: true }],
    [/^Tool pay, retry: there is no "tries"; there are attempts/, { idempotent: true, retry: { tries: 3 } }],
    [/^Tool pay, approval: "maybe" is not "allow" or "ask" or "deny"/, { approval: 'maybe' }],
    [/^Tool pay, effects: "few" is not "none" or "edits" or "any"/, { effects: 'few' }],
    [/^Tool pay, run: give the function/, { run: undefined }],
  ])('%s', (message, options) => {
    const given = { name: 'pay', description: 'Pays.', input: z.object({}), run: () => 'paid', ...options };
    expect(() => defineTool(given)).toThrow(message);
    expect(() => defineTool(given)).toThrow(TypeError);
  });
});

describe('and one of a model or of an MCP server:', () => {
  const server = { command: 'npx', args: ['some-server'] };
  test.each<[RegExp, () => unknown]>([
    [/^openai: there is no "baseUrl"; there are model, baseURL, /, () => openai({ baseUrl: '' } as object)],
    [/^openai\(\{ api \}\): "chats" is not "chat" or "responses"/, () => openai({ api: 'chats' } as object)],
    [
      /^MCP server docs: there is no "timout"; /,
      () => mcpServer('docs', server, { timout: '1 s' } as object),
    ],
    [/^MCP server docs: there is no "arg"; /, () => mcpServer('docs', { command: 'npx', arg: [] } as never)],
    [
      /^MCP server docs: there is no "token"; /,
      () => mcpServer('docs', { url: 'https://a.b', token: '' } as never),
    ],
  ])('%s', (message, make) => {
    expect(make).toThrow(message);
    expect(make).toThrow(TypeError);
  });
});
