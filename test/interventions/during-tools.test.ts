import { describe, expect, test } from 'vitest';
import { retryable } from '../../src/define/retryable.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { countedTool, echoTool, gate, textOfResult } from '../turn/agents.js';
import { endedTurn, shapeOf, untilAsked, untilEvent, untilReceipt } from './ended-turn.js';
import { deafTool, heldTool } from './tools.js';

const statusAndCause = (result: { status: string; cause?: string }) => [result.status, result.cause];

describe('an interrupt during tools', () => {
  // D11, FA-041, O09
  test('keeps the result that is finished, and tells what was running from what had not started', async () => {
    const [echo, hold, last] = [
      echoTool(),
      heldTool(),
      countedTool('last', {}, undefined, { parallel: false }),
    ];
    const calls = reply(toolCall('echo', { text: 'done' }), toolCall('hold'), toolCall('last'));
    const { outcome, results, transcript, modelCalls } = await endedTurn(
      { script: [calls], tools: [echo.tool, hold.tool, last.tool] },
      async ({ turn }) => {
        await Promise.all([hold.running, untilEvent(turn, 'tool_finished')]);
        await turn.interrupt();
      },
    );
    expect(outcome?.type).toBe('interrupted');
    expect(results.map(statusAndCause)).toEqual([
      ['ok', undefined],
      ['interrupted', 'was_running'],
      ['interrupted', 'not_started'],
    ]);
    expect(textOfResult(results[0])).toBe('done');
    expect(textOfResult(results[1])).toContain('was running when the turn was interrupted');
    expect(textOfResult(results[2])).toContain('was not started');
    expect(last.runs).toEqual([]);
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
    expect(modelCalls).toBe(1);
  });

  test('starts no call that waited for a free place', async () => {
    const [hold, waiting] = [heldTool(), countedTool('waiting', {})];
    const { results } = await endedTurn(
      {
        script: [reply(toolCall('hold'), toolCall('waiting'), toolCall('waiting'))],
        tools: [hold.tool, waiting.tool],
        agent: { maxParallelTools: 1 },
      },
      async ({ turn }) => {
        await hold.running;
        await turn.interrupt();
      },
    );
    expect(results.map(({ cause }) => cause)).toEqual(['was_running', 'not_started', 'not_started']);
    expect(waiting.runs).toEqual([]);
  });

  test('does not wait for a tool that ignores its signal, and says that it may still be running', async () => {
    const deaf = deafTool();
    const { results } = await endedTurn(
      { script: [toolCall('deaf')], tools: [deaf.tool] },
      async ({ turn }) => {
        await deaf.running;
        const interruptedAt = performance.now();
        await turn.interrupt();
        await turn.result();
        expect(performance.now() - interruptedAt).toBeLessThan(10_000);
        deaf.release();
      },
    );
    expect(results).toMatchObject([{ status: 'interrupted', cause: 'may_still_run' }]);
  });

  test('keeps the result of a tool that ends in spite of its signal', async () => {
    const running = gate();
    const thorough = countedTool('thorough', {}, async (_args, { signal }) => {
      running.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'cleaned up and done';
    });
    const { outcome, results } = await endedTurn(
      { script: [toolCall('thorough')], tools: [thorough.tool] },
      async ({ turn }) => {
        await running.opened;
        await turn.interrupt();
      },
    );
    expect(outcome?.type).toBe('interrupted');
    expect(results).toMatchObject([{ status: 'ok', content: [{ text: 'cleaned up and done' }] }]);
  });

  test("ends the turn at once in a tool's retry wait", async () => {
    const later = countedTool('later', {}, () => {
      throw retryable(new Error('busy'), { after: '60 seconds' });
    });
    const { outcome, results } = await endedTurn(
      { script: [toolCall('later')], tools: [later.tool] },
      async ({ turn }) => {
        await untilEvent(turn, 'retry_waiting');
        const interruptedAt = performance.now();
        await turn.interrupt();
        await turn.result();
        expect(performance.now() - interruptedAt).toBeLessThan(5000);
      },
    );
    expect(outcome?.type).toBe('interrupted');
    expect(results).toMatchObject([{ status: 'interrupted' }]);
    expect(later.runs).toHaveLength(1);
  });

  // FA-042
  test('in the model call after a round keeps the real results of the round', async () => {
    const echo = echoTool();
    const late = reply(text('late'), { delayMs: Number.POSITIVE_INFINITY });
    const { results, transcript } = await endedTurn(
      { script: [toolCall('echo', { text: 'real' }), late], tools: [echo.tool] },
      async ({ turn, server }) => {
        await untilAsked(server, 2);
        await turn.interrupt();
      },
    );
    expect(results).toMatchObject([{ status: 'ok', content: [{ text: 'real' }] }]);
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
  });

  test('tells the next turn of calls that were answered without being run', async () => {
    const hold = heldTool();
    const calls = reply(toolCall('nope'), toolCall('hold'), toolCall('hold', '{broken'));
    const { results } = await endedTurn({ script: [calls], tools: [hold.tool] }, async ({ turn }) => {
      await hold.running;
      await turn.interrupt();
    });
    expect(results.map(({ cause }) => cause)).toEqual(['unknown_tool', 'was_running', 'invalid_json']);
  });
});

describe('an AbortError that nobody asked for', () => {
  test('is an error of the tool, and the turn goes on', async () => {
    const fetching = countedTool('fetching', {}, () => {
      throw new DOMException('This operation was aborted', 'AbortError');
    });
    const { outcome, results } = await endedTurn(
      { script: [toolCall('fetching'), text('done')], tools: [fetching.tool] },
      async () => undefined,
    );
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(results).toMatchObject([{ status: 'error', cause: 'tool_threw' }]);
  });
});

describe('a stop during tools', () => {
  test('lets what runs finish, starts nothing that waits, and makes no model call', async () => {
    const [hold, waiting] = [heldTool(), countedTool('waiting', {}, undefined, { parallel: false })];
    const { outcome, results, transcript, modelCalls } = await endedTurn(
      {
        script: [reply(toolCall('hold'), toolCall('waiting')), text('never said')],
        tools: [hold.tool, waiting.tool],
      },
      async ({ turn }) => {
        await hold.running;
        await turn.stop('that will do', { id: 's1', by: 'ann' });
        await untilReceipt(turn, 's1', 'done');
        hold.release();
      },
    );
    expect(outcome).toMatchObject({
      type: 'interrupted',
      intervention: { kind: 'stop', id: 's1', reason: 'that will do', by: 'ann' },
    });
    expect(results.map(statusAndCause)).toEqual([
      ['ok', undefined],
      ['interrupted', 'not_started'],
    ]);
    expect(waiting.runs).toEqual([]);
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
    expect(modelCalls).toBe(1);
  });

  test('followed by an interrupt ends the turn now, and the outcome names the interrupt', async () => {
    const hold = heldTool();
    const { outcome, results } = await endedTurn(
      { script: [toolCall('hold')], tools: [hold.tool] },
      async ({ turn }) => {
        await hold.running;
        await turn.stop('when you are ready');
        await turn.interrupt('now');
      },
    );
    expect(outcome?.intervention).toMatchObject({ kind: 'interrupt', reason: 'now' });
    expect(results).toMatchObject([{ cause: 'was_running' }]);
  });
});
