import { expect, test, vi } from 'vitest';
import { fault, scriptedModel, testPlace, withWorker } from '../../src/testing/index.js';
import { holdfast } from '../support/run-cli.js';
import { turnsToLookAt } from './turns-to-look-at.js';

const { id, done, failed, running, agent, failedTurn } = turnsToLookAt();

async function said(...args: string[]) {
  return await holdfast(args).finished;
}

test('show tells what an ended turn did and what it cost', async () => {
  const { stdout, exitCode } = await said('show', done);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`completed · ${agent.name} 7 · `);
  expect(stdout).toMatch(/usage +2 model calls · \d+ tokens in/);
  expect(stdout).toMatch(/ 1 .*tool_use.*\n +✓ look west/);
  expect(stdout).toContain('It is **the sea**.');
});

test('show tells what a running turn waits for, and who polls its queue', async () => {
  const [{ stdout }, { stdout: json }] = await Promise.all([
    said('show', running),
    said('show', running, '--json'),
  ]);
  expect(stdout).toMatch(/waits for +wait, for /);
  expect(stdout).toMatch(/polled by 1 worker/);
  expect(stdout).toMatch(/… wait it running/);
  expect(JSON.parse(json)).toMatchObject({ turnId: running, state: { phase: 'tools' } });
});

test('show tells when a failing model is tried again, and why it failed', async () => {
  const turnId = `${id}-retry`;
  const busy = { ...agent, model: scriptedModel([fault({ status: 503, retryAfter: 600 })]) };
  await withWorker(busy, async ({ start }) => {
    const turn = await start('hello', { turnId });
    for await (const event of turn.events()) if (event.type === 'retry_waiting') break;
    const { stdout } = await said('show', turnId);
    expect(stdout).toMatch(
      /waits for +the model, try 2 in \d+.* \(Model\.\w+\)\n +last failure: Model\.\w+: /,
    );
    await turn.interrupt();
    await turn.result();
  });
});

test('a beginning of an id names the turn, where no other begins so', async () => {
  const [one, several, none] = await Promise.all([
    said('show', `${id}-d`),
    said('show', id),
    said('show', 'no-such-turn'),
  ]);
  expect(one.stdout).toContain(done);
  expect(several).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`Several turns begin with ${id}`),
  });
  expect(several.stderr).toContain(done);
  expect(await said('show', '')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is empty.') });
  expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('holdfast ps --all') });
});

test('a transcript is Markdown, whose fences hold what tools said', async () => {
  const { stdout } = await said('transcript', done);
  expect(stdout).toContain(`# ${done}: ${agent.name}, completed\n\n## User\n\nlook around`);
  expect(stdout).toMatch(/### look: ok, \d+ ms\n\n```json\n\{\n {2}"at": "west"\n\}\n```/);
  expect(stdout).toContain('````\nwest: ```\nthe sea\n```\n````');
  expect(stdout.trimEnd().endsWith('It is **the sea**.')).toBe(true);
});

test('a transcript as JSON is what another turn can be started with', async () => {
  const { client } = await testPlace();
  const { stdout } = await said('transcript', done, '--json');
  expect(JSON.parse(stdout)).toEqual(await client.turn(done).transcript());
});

test('watch prints the end of a turn that has ended, and all of it from 0', async () => {
  const [end, whole] = await Promise.all([said('watch', done), said('watch', done, '--from', '0')]);
  expect(end).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`turn ${done}`) });
  expect(end.stdout).toMatch(/^It is \*\*the sea\*\*\.\ncompleted · 2 model calls · /);
  expect(whole.stdout).toMatch(/✓ look west/);
});

test('watch attaches to what runs, and Ctrl-C leaves the turn alone and says so', async () => {
  const watching = holdfast(['watch', running]);
  await watching.printed('→ wait it');
  watching.process.kill('SIGINT');
  const { exitCode, stderr } = await watching.finished;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(new RegExp(`Detached; the turn goes on. .*holdfast watch ${running} --from \\d+`));
  const { client } = await testPlace();
  expect(await client.turn(running).state()).toMatchObject({ phase: 'tools' });
});

test('what is sent into a turn arrives, and watch tells its end', async () => {
  const turnId = `${id}-sent`;
  await withWorker(agent, async ({ start, taskQueue }) => {
    const turn = await start('wait for it', { turnId });
    for await (const event of turn.events()) if (event.type === 'tool_started') break;
    const watching = holdfast(['watch', turnId, '--from', '0']);
    await watching.printed('→ wait it');
    const steered = await said('steer', turnId, 'it is in the north');
    const interrupted = await said('interrupt', turnId, 'on call');
    expect(steered).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('is sent the message') });
    expect(interrupted).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('is interrupted') });
    const { exitCode, stdout } = await watching.finished;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/interrupted · 1 model call/);
    const outcome = await turn.result();
    expect(outcome).toMatchObject({
      type: 'interrupted',
      intervention: { reason: 'on call' },
      undelivered: [{ message: 'it is in the north' }],
    });
    const late = await said('stop', turnId);
    expect(late).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has ended before: interrupted'),
    });
    expect(taskQueue).not.toBe('holdfast');
  });
});

test('where no worker polls the queue, show, watch and interrupt say so, and what to do', async () => {
  const { client } = await testPlace();
  const turnId = `${id}-alone`;
  const taskQueue = `${id}-nobody`;
  await client.start(agent.name, 'hello', { turnId, taskQueue });
  const watching = holdfast(['watch', turnId]);
  const shown = await said('show', turnId);
  expect(shown.stdout).toMatch(/waits for +a worker, for /);
  expect(shown.stdout).toContain(`${taskQueue}, which no worker polls`);
  expect(shown.stdout).toContain(`holdfast worker <module> --task-queue ${taskQueue}`);
  expect(shown.stdout).toMatch(/state +not told: /);
  await watching.printed(`No worker polls the task queue "${taskQueue}". Start one: `);
  watching.process.kill('SIGINT');
  await watching.finished;
  const [sent, transcript] = await Promise.all([said('interrupt', turnId), said('transcript', turnId)]);
  expect(sent.stdout).toContain('it counts once one does');
  expect(transcript.stdout).toContain('hello');
  await client.client.workflow.getHandle(turnId).terminate('the test is over');
  expect((await said('show', turnId)).stdout).toMatch(/^terminated .*/m);
});

test('ps lists running turns first, with what they wait for, and failed ones with why', async () => {
  await expect(failedTurn().result()).rejects.toThrow('Start a worker that has it');
  const listed = async () =>
    (await said('ps', '--json', '--limit', '200')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  // What a server lists is a moment behind.
  const turns = await vi.waitUntil(
    async () => {
      const mine = (await listed()).filter(({ turnId }) => [running, done, failed].includes(turnId));
      return mine.length === 3 && mine.filter(({ status }) => status !== 'running').length === 2
        ? mine
        : undefined;
    },
    { timeout: 20_000, interval: 200 },
  );
  expect(turns[0]).toMatchObject({
    turnId: running,
    agent: agent.name,
    status: 'running',
    iterations: 1,
    waitsFor: [{ kind: 'tool', name: 'wait', state: 'running', attempt: 1 }],
  });
  const byId = new Map(turns.map((turn) => [turn.turnId, turn]));
  expect(byId.get(done)).toMatchObject({ status: 'completed', iterations: 2, prompt: 'look around' });
  expect(byId.get(failed)).toMatchObject({
    status: 'failed',
    agent: 'nobody',
    failure: { type: 'Agent.NotHere', message: expect.stringContaining('Start a worker that has it') },
  });
});

test('ps for people is a table with whole ids in a pipe, of one agent where it is named', async () => {
  const [{ stdout }, none] = await Promise.all([
    said('ps', '--agent', agent.name),
    said('ps', '--agent', 'no-such-agent'),
  ]);
  expect(stdout.split('\n')[0]).toMatch(/^TURN +AGENT +STATUS +CALLS +AGE +WHAT$/);
  expect(stdout).toMatch(new RegExp(`^${running} .* running +1 .* waits for wait, for `, 'm'));
  expect(stdout).not.toContain(failed);
  expect(stdout).not.toContain('\u001b');
  expect(none).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringContaining('holdfast ps --all'),
  });
});
