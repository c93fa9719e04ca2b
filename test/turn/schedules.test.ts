import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ScheduleHandle } from '@temporalio/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findProgram } from '../../src/server/find-program.js';
import { resolveSettings } from '../../src/server/settings.js';
import { scriptedModel, testPlace, text, withWorker } from '../../src/testing/index.js';
import { agentWith } from './agents.js';

const page = readFileSync('docs/schedules.md', 'utf8');
const digest = agentWith([], { name: 'digest', model: scriptedModel([text('All is well.')]) });

/** The id of the turn that it has started. */
async function startedBy(schedule: ScheduleHandle): Promise<string> {
  for (;;) {
    const [action] = (await schedule.describe()).info.recentActions;
    if (action) return action.action.workflow.workflowId;
    await setTimeout(50);
  }
}

describe('a turn on a schedule of Temporal', () => {
  test('is started by the action that the client makes', async () => {
    await withWorker(digest, async ({ client, taskQueue }) => {
      const turnId = `daily-${randomUUID()}`;
      const schedule = await client.client.schedule.create({
        scheduleId: turnId,
        spec: { calendars: [{ hour: 3 }] },
        action: client.turnAction('digest', 'Write the digest.', { turnId, taskQueue }),
      });
      onTestFinished(() => schedule.delete());
      await schedule.trigger();
      const started = await startedBy(schedule);
      expect(started).toMatch(new RegExp(`^${turnId}-20\\d\\d-`));
      expect(await client.turn(started).result()).toMatchObject({ type: 'completed', text: 'All is well.' });
    });
  });

  test("is started by a schedule that was made with Temporal's program", async () => {
    const { cacheDir } = resolveSettings({});
    const program = await findProgram({ env: process.env, cacheDir, onProgress: () => undefined });
    const { address } = await testPlace();
    const id = `schedule-${randomUUID()}`;
    await withWorker(digest, async ({ client, taskQueue }) => {
      for (const [, command = ''] of page.matchAll(/^```sh\ntemporal (.*?)^```$/gms)) {
        const here = command
          .replaceAll('daily-digest', id)
          .replace('--task-queue holdfast', `--task-queue ${taskQueue}`);
        await promisify(execFile)('sh', ['-ec', `"${program}" ${here}`], {
          env: { ...process.env, TEMPORAL_ADDRESS: address },
        });
      }
      const schedule = client.client.schedule.getHandle(id);
      onTestFinished(() => schedule.delete());
      const turnId = await startedBy(schedule);
      expect(await client.turn(turnId).result()).toMatchObject({ type: 'completed', text: 'All is well.' });
    });
  });

  test('with options that no turn can have is refused, by the name of the field', async () => {
    const { client } = await testPlace();
    expect(() => client.turnAction('digest', 'Write.', { limits: { tokens: -1 } })).toThrow(/limits\.tokens/);
    expect(() => client.turnAction('digest', 'Write.', { turnId: 'a'.repeat(190) })).toThrow(/179/);
  });
});
