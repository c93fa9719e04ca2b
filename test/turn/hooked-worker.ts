import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { FinishedTurn } from '../../src/client/finished-turn.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { type Agent, defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import type { HookContext, Hooks } from '../../src/define/hooks.js';
import type { HookedTurn } from '../../src/shared/hooks.js';
import type { Message, ToolResultBlock } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { type Script, scriptedModel, text } from '../../src/testing/index.js';
import { replay } from '../../src/testing/test-turn.js';
import { sharedWorker } from './shared-worker.js';

type Log = (context: HookContext, what: string) => void;

type EndedTurn = {
  outcome: FinishedTurn;
  results: ToolResultBlock[];
  turn: TurnHandle;
  requests: ModelRequest[];
};

/** One worker for all tests of a file, whose agent has two hooks that do what a call or the turn's metadata says. */
export function hookedWorker() {
  /** By turn: at which points the hooks were called, and with what. */
  const called = new Map<string, string[]>();
  const ended: HookedTurn[] = [];
  const keys: string[] = [];
  const runs: string[] = [];
  const log: Log = ({ turnId, idempotencyKey }, what) => {
    called.set(turnId, [...(called.get(turnId) ?? []), what]);
    keys.push(idempotencyKey);
  };
  const say = defineTool({
    name: 'say',
    description: '',
    input: z.object({ say: z.string() }),
    run(args) {
      runs.push(args.say);
      return args.say;
    },
  });
  const worker = sharedWorker([], {
    tools: [say, helper()],
    hooks: [guard(log), second(log, (turn) => ended.push(turn))],
    permissions: { mode: 'yolo', deny: ['say(forbidden*)'] },
  });

  async function run(script: Script, metadata: Record<string, boolean> = {}): Promise<EndedTurn> {
    const requests: ModelRequest[] = [];
    const scripted = scriptedModel([...script, text('done')]);
    const model: typeof scripted = {
      ...scripted,
      call: (request, context) => {
        requests.push(request);
        return scripted.call(request, context);
      },
    };
    const turn = await worker.start(model, 'hello', { metadata });
    const outcome = await turn.result();
    const transcript = await turn.transcript();
    const results = transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
    await replay(turn.turnId);
    return { outcome, results, turn, requests };
  }
  return { called, ended, keys, runs, worker, run };
}

/** It looks at calls and results, by what they say. */
function guard(log: Log): Hooks {
  return {
    name: 'guard',
    async beforeToolCall({ arguments: { say } }, context) {
      log(context, 'before_tool');
      await setImmediate();
      if (say === 'push') return { block: 'no pushes on Fridays' };
      if (say === 'throw') throw new Error('the policy server is down');
      if (say === 'misfit') return { arguments: { say: 7 } };
      if (say === 'nonsense') return JSON.parse('{"allow":true}');
      if (say === 'sneak') return { arguments: { say: 'forbidden fruit' } };
      if (say === 'forbidden') return { arguments: { say: 'allowed fruit' } };
      if (say === 'careful') return { ask: 'it is careful' };
      if (say === 'rewrite') return { arguments: { say: 'written by guard' }, ask: 'it was rewritten' };
      return typeof say === 'string' && say.startsWith('chain')
        ? { arguments: { say: `${say} 1` } }
        : undefined;
    },
    afterToolCall({ text: said }, context) {
      log(context, 'after_tool');
      if (said === 'secret 123') return { result: 'secret ***' };
      if (said === 'break') throw new Error('no room in the log');
      if (said === 'long') return { append: 'That was long.' };
      return undefined;
    },
  };
}

/** It looks at model calls and at the turn's end, by the turn's metadata. It has no name. */
function second(log: Log, ended: (turn: HookedTurn) => void): Hooks {
  return {
    beforeModelCall({ instructions, messages }, context) {
      log(context, `before_llm:${context.iteration}`);
      // Its own copy: nobody else is to see it.
      (messages as Message[]).push(undefined as never);
      if (context.metadata['fails']) throw new Error('no budget service');
      if (!context.metadata['changes']) return undefined;
      return {
        instructions: `${instructions} Be brief.`,
        append: `This is call ${context.iteration}.`,
        options: { temperature: 0.5 },
      };
    },
    afterModelCall({ stopReason }, context) {
      log(context, `after_llm:${stopReason}`);
      context.note(`it stopped by ${stopReason}`);
      if (context.metadata['trips']) throw new Error('tripped');
    },
    beforeToolCall({ arguments: { say } }) {
      if (typeof say === 'string' && say.startsWith('chain')) return { arguments: { say: `${say} 2` } };
      return undefined;
    },
    afterTurn(turn, context) {
      log(context, `after_turn:${turn.iterations}`);
      ended(turn);
      if (context.metadata['trips']) throw new Error('the mail server is down');
    },
  };
}

function helper(): Agent {
  return defineAgent({
    name: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    model: scriptedModel([text('secret 123')]),
  });
}
