import { expect, test } from 'vitest';
import { z } from 'zod';
import { ToolSetups } from '../../src/activities/tool-setups.js';
import { defineTool, type SetupContext } from '../../src/define/define-tool.js';
import type { Duration } from '../../src/shared/duration.js';
import { gate } from '../turn/agents.js';

const forever = new AbortController().signal;

function toolWith<Made>(setup: (context: SetupContext) => Made, timeout: Duration = '1 minute') {
  const base = { name: 'find', description: '', input: z.object({}) };
  return defineTool({ ...base, timeout, setup, run: () => 'found' });
}

function setupsThatWarn() {
  const warnings: string[] = [];
  return { setups: new ToolSetups((text) => warnings.push(text)), warnings };
}

test('a set-up is run once for all calls of all tools that have it, and not before the first', async () => {
  let count = 0;
  const connect = async () => ({ number: ++count });
  const { setups } = setupsThatWarn();
  const [one, two] = [toolWith(connect), toolWith(connect)];
  expect(count).toBe(0);
  const [first, second, third] = await Promise.all([one, one, two].map((tool) => setups.of(tool, forever)));
  expect(first).toEqual({ number: 1 });
  expect(second).toBe(first);
  expect(third).toBe(first);
  expect(await setupsThatWarn().setups.of(one, forever)).toEqual({ number: 2 });
});

test('a set-up that fails fails all who wait, and is tried again for the next call', async () => {
  let count = 0;
  const tool = toolWith(() => {
    count += 1;
    if (count === 1) throw new Error('no connection');
    return 'connected';
  });
  const { setups } = setupsThatWarn();
  const waiting = await Promise.allSettled([setups.of(tool, forever), setups.of(tool, forever)]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await setups.of(tool, forever)).toBe('connected');
  expect(count).toBe(2);
});

test('who is told to stop waits no longer, and the others go on waiting for the same', async () => {
  const ready = gate();
  const interrupted = new AbortController();
  let signal: AbortSignal | undefined;
  const tool = toolWith(async (context) => {
    signal = context.signal;
    await ready.opened;
    return 'connected';
  });
  const { setups } = setupsThatWarn();
  const [stopped, waiting] = [setups.of(tool, interrupted.signal), setups.of(tool, forever)];
  interrupted.abort(new Error('interrupted'));
  await expect(stopped).rejects.toThrow('interrupted');
  expect(signal?.aborted).toBe(false);
  ready.open();
  expect(await waiting).toBe('connected');
});

test('a set-up that takes longer than the timeout is given up, and what comes late is disposed of', async () => {
  const [late, disposed] = [gate(), gate()];
  let signal: AbortSignal | undefined;
  const slow = async (context: SetupContext) => {
    signal ??= context.signal;
    await late.opened;
    return { [Symbol.asyncDispose]: async () => disposed.open() };
  };
  const { setups } = setupsThatWarn();
  await expect(setups.of(toolWith(slow, 5), forever)).rejects.toThrow('find took longer than 0.005 s for it');
  expect(signal?.aborted).toBe(true);
  late.open();
  await disposed.opened;
});

test('at its end a worker disposes of what was set up, and warns of what refuses', async () => {
  const ended: string[] = [];
  const { setups, warnings } = setupsThatWarn();
  const tools = [
    toolWith(() => ({ [Symbol.dispose]: () => ended.push('file') })),
    toolWith(() => ({ [Symbol.asyncDispose]: async () => ended.push('pool') })),
    toolWith(() => ({
      [Symbol.dispose]: () => {
        throw new Error('busy');
      },
    })),
    toolWith(() => 'nothing to dispose of'),
  ];
  await Promise.all(tools.map((tool) => setups.of(tool, forever)));
  await setups.close();
  expect(ended.sort()).toEqual(['file', 'pool']);
  expect(warnings).toEqual(["What a tool's setup made could not be disposed of: busy"]);
  await expect(
    setups.of(
      toolWith(() => 1),
      forever,
    ),
  ).rejects.toThrow('the worker has shut down');
});

test('a worker that ends gives up what is being set up', async () => {
  const begun = gate();
  const { setups } = setupsThatWarn();
  const tool = toolWith(async () => {
    begun.open();
    await new Promise(() => {});
  });
  const waiting = setups.of(tool, forever);
  await begun.opened;
  await Promise.all([setups.close(), expect(waiting).rejects.toThrow('The worker shuts down')]);
});
