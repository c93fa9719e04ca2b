import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { askUser } from '../../src/define/ask-user.js';
import { textOf } from '../../src/shared/messages.js';
import { reply, type Script, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { endedTurn, PATIENCE } from '../interventions/ended-turn.js';
import { ask, nested, subAgent } from '../sub-agents/agents.js';
import { agentWith, countedTool, textOfResult } from '../turn/agents.js';

const shape = { file: z.string() };

test("in a sub-agent's turn what its callers deny is denied, what they ask about is asked, and its own mode stays", async () => {
  const { tool, runs } = countedTool('erase', shape);
  const results: Record<string, string[]> = {};
  const erasing = (name: string, ...files: string[]): Script => [
    reply(...files.map((file) => toolCall('erase', { file }))),
    (messages) => {
      const last = messages.at(-1);
      results[name] = last?.role === 'tool' ? last.content.map((each) => each.cause ?? each.status) : [];
      return text('done');
    },
  ];
  const free = subAgent('free', erasing('free', 'a', 'b', 'SECRETS/c'), {
    tools: [tool],
    permissions: { mode: 'yolo', allow: ['erase'] },
  });
  const bound = subAgent('bound', erasing('bound', 'd', 'e', 'secrets/f'), { tools: [tool] });
  const top = nested(1, bound);
  const agent = agentWith([free, top], {
    model: scriptedModel([reply(ask('free'), ask(top.name)), text('done')]),
    permissions: {
      allow: ['free', 'level1', 'bound', 'erase(e)'],
      ask: ['erase(b)'],
      deny: ['erase(secrets*)'],
    },
  });
  const asked: string[] = [];
  await testTurn(agent, 'Go.', { approve: ({ summary }) => asked.push(summary) > 0 });
  expect(results).toEqual({ free: ['ok', 'ok', 'denied_by_rule'], bound: ['ok', 'ok', 'denied_by_rule'] });
  expect(asked.toSorted()).toEqual(['erase b', 'erase d']);
  expect(runs.map(({ file }) => file).toSorted()).toEqual(['a', 'b', 'd', 'e']);
});

test('testTurn decides what sub-agents ask, two levels down; where nobody does, it says what waits', async () => {
  const { tool, runs } = countedTool('pay', shape, () => 'paid', { approval: 'ask' });
  const asking = reply(toolCall('pay', { file: 'a' }), toolCall('ask_user', { question: 'Which?' }));
  const clerk = subAgent('clerk', [asking, text('paid and told')], { tools: [tool, askUser()] });
  const top = nested(1, clerk);
  const agent = agentWith([top], { model: scriptedModel([ask(top.name), text('done')]) });
  const { outcome } = await testTurn(agent, 'Go.', { approve: 'all', answer: 'this one' });
  expect(outcome.type).toBe('completed');
  expect(runs).toHaveLength(1);
  await expect(testTurn(agent, 'Go.')).rejects.toThrow(/The turn waits: .*Give testTurn the option/);
});

test("a sub-agent's call that is approved with other arguments is made with these, where they fit and no rule denies them", async () => {
  const tasks: string[] = [];
  const shopper = subAgent('shopper', [
    (messages) => {
      tasks.push(messages.flatMap((message) => (message.role === 'user' ? textOf(message) : [])).join());
      return text('900 euros');
    },
  ]);
  const call = (id: string) => ({ ...ask('shopper', 'price of a bicycle'), id });
  const { outcome, results, events } = await endedTurn(
    {
      script: [reply(call('fits'), call('unfit'), call('denied')), text('done')],
      agent: { tools: [shopper], permissions: { deny: ['shopper(task: buy *)'] } },
    },
    async ({ turn }) => {
      await vi.waitFor(async () => expect(await turn.requests()).toHaveLength(3), PATIENCE);
      await turn.approve('unfit', { arguments: { job: 'x' } });
      await turn.approve('denied', { arguments: { task: 'BUY a tandem' } });
      await turn.approve('fits', { arguments: { task: 'price of a tandem', context: 'for two' } });
    },
  );
  expect(outcome?.type).toBe('completed');
  expect(tasks).toEqual(['price of a tandem\n\nContext:\nfor two']);
  expect(results.map(({ cause, status }) => cause ?? status)).toEqual([
    ...['ok', 'invalid_arguments', 'denied_by_rule'],
  ]);
  expect(textOfResult(results[0])).toMatch(/^900 euros.*changed the arguments.*price of a tandem/s);
  const started = events.flatMap((event) => (event.type === 'tool_started' ? [event.summary] : []));
  expect(started).toEqual(['shopper price of a tandem']);
});

test('the requests of a turn are those of its sub-agents, too, each with the turn that decides on it', async () => {
  const { tool, runs } = countedTool('pay', shape, () => 'paid', { approval: 'ask' });
  const clerk = subAgent('clerk', [toolCall('pay', { file: 'a' }), text('paid')], { tools: [tool] });
  await endedTurn({ script: [ask('clerk'), text('done')], agent: { tools: [clerk] } }, async ({ turn }) => {
    const [request] = await vi.waitFor(async () => {
      const requests = await turn.requests();
      expect(requests).toHaveLength(1);
      return requests;
    }, PATIENCE);
    expect(request).toMatchObject({ turnId: `${turn.turnId}/clerk`, name: 'pay' });
    await turn.subAgent(request?.turnId ?? '').approve(request?.callId ?? '');
  });
  expect(runs).toHaveLength(1);
});
