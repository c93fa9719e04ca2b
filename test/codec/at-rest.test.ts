import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CodecOptions, dataConverter } from '../../src/codec/data-converter.js';
import { newEncryptionKey } from '../../src/codec/keyring.js';
import type { Message } from '../../src/shared/messages.js';
import type { StartedActivity } from '../../src/worker/activity-reports.js';
import { type CodecPlace, codecPlace, quiet } from './place.js';
import { AGENTS, Scenario, type Words } from './scenario.js';

type Ran = {
  words: Words;
  full: Awaited<ReturnType<Scenario['full']>>;
  interrupted: Awaited<ReturnType<Scenario['interrupted']>>;
  failing: unknown;
  lost: Awaited<ReturnType<Scenario['lost']>>;
  long: Awaited<ReturnType<Scenario['long']>>;
  inFiles: string[];
};

async function runAll(place: CodecPlace, codec: CodecOptions): Promise<Ran> {
  const scenario = new Scenario(place.server);
  const client = await place.client(codec);
  const agents = AGENTS.map((name) => scenario.agent(name));
  const { running, words } = scenario;
  const options = {
    agents,
    codec,
    worker: { shutdownGraceTime: '1 second', shutdownForceTime: '2 seconds' },
    onActivity: (report: { type: string; token: string }) => {
      if (report.type === 'activity_started') running.set(report.token, report as StartedActivity);
      else running.delete(report.token);
    },
  } as const;
  return await place.withWorker(options, async () => {
    const ran = {
      full: await scenario.full(client),
      interrupted: await scenario.interrupted(client),
      failing: await scenario.failing(client),
      lost: await scenario.lost(client),
      long: await scenario.long(client),
    };
    scenario.look();
    return { words, ...ran, inFiles: Object.values(words).filter((word) => scenario.seen.has(word)) };
  });
}

const textOfAll = (messages: readonly Message[]) => JSON.stringify(messages);
const cases: [string, CodecOptions][] = [
  ['with a key', { keys: newEncryptionKey('k1'), compress: true }],
  ['without a key', {}],
];

describe.each(cases)('%s', (_name, codec) => {
  let place: CodecPlace;
  let ran: Ran;

  beforeAll(async () => {
    quiet();
    place = await codecPlace();
    ran = await runAll(place, codec);
  });
  afterAll(() => place?.close());

  test(codec.keys ? 'no word of a turn is in the files of the server' : 'each word is there', () => {
    const { words, inFiles } = ran;
    expect(inFiles).toEqual(codec.keys ? [] : Object.values(words));
  });

  test('the client shows the outcome, the transcript, the state and the summary in plain text', () => {
    const { words, full } = ran;
    const { handedIn, prompt, argument, result, toolError, steerSignal, steerUpdate } = words;
    const transcript = textOfAll(full.transcript);
    for (const word of [
      handedIn,
      prompt,
      words.reply,
      argument,
      result,
      words.localResult,
      toolError,
      steerSignal,
      steerUpdate,
    ]) {
      expect(transcript).toContain(word);
    }
    expect(full.outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(textOfAll(full.outcome.messages)).toContain(result);
    expect(full.state).toMatchObject({ agent: 'full', phase: 'tools' });
    expect(full.staticSummary).toContain(prompt);
  });

  test('events tell progress and why something is tried again in plain text', () => {
    const { words, full } = ran;
    const progress = full.events.flatMap((event) => (event.type === 'tool_progress' ? [event.text] : []));
    expect(progress).toContain(words.progress);
    const retries = full.events.flatMap((event) => (event.type === 'retry_waiting' ? [event.failure] : []));
    expect(JSON.stringify(retries)).toContain(words.modelRetry);
  });

  test('an interrupted turn keeps the text that had come, and who asked', () => {
    const { words, interrupted } = ran;
    expect(interrupted.outcome).toMatchObject({
      type: 'interrupted',
      intervention: { reason: words.reason },
    });
    expect(textOfAll(interrupted.transcript)).toContain(words.partial);
  });

  test("a failed turn's error has its own message, type and outcome", () => {
    expect(ran.failing).toMatchObject({
      name: 'TurnFailed',
      type: 'Model.Authentication',
      message: expect.stringContaining(ran.words.modelFault),
      outcome: { type: 'failed' },
    });
  });

  test('a tool whose worker died is settled as unknown', () => {
    const results = ran.lost.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(results).toMatchObject([{ name: 'loses', status: 'unknown' }]);
  });

  test('a turn goes on in new runs of its workflow', () => {
    expect(ran.long.outcome).toMatchObject({ type: 'completed', text: 'at the end', iterations: 3 });
    const { carried, asked, denied, question, answer } = ran.words;
    for (const word of [carried, asked, denied, question, answer]) {
      expect(textOfAll(ran.long.transcript)).toContain(word);
    }
  });

  test('a client of its own with the data converter reads it, too', async () => {
    const client = await place.client(codec);
    const own = new Client({ connection: client.client.connection, dataConverter: dataConverter(codec) });
    const { turnId } = ran.full.outcome;
    expect(await own.workflow.getHandle(turnId).result()).toMatchObject({ text: 'done' });
  });
});
