// A turn at a fixed time, by a Temporal schedule.
import { setTimeout } from 'node:timers/promises';
import type { ScheduleHandle } from '@temporalio/client';
import { defineAgent } from 'holdfast';
import { text } from 'holdfast/testing';
import { modelOr } from './model.js';
import { serve } from './serve.js';

const digest = defineAgent({
  name: 'digest',
  instructions: 'You write a short digest for a team.',
  model: modelOr([text('Good morning. Nothing broke last night.')]),
});

await serve(digest, async (client) => {
  const schedule = await client.client.schedule.create({
    scheduleId: 'daily-digest',
    spec: { calendars: [{ hour: 7 }], timezone: 'Europe/Paris' },
    policies: { overlap: 'SKIP', catchupWindow: '1 hour' },
    action: client.turnAction('digest', 'Write the digest of yesterday.', {
      turnId: 'daily-digest', // Temporal adds the time: `daily-digest-2026-11-30T07:00:00Z`
      taskQueue: 'example-digest',
    }),
  });
  try {
    await schedule.trigger(); // now, and not only tomorrow at seven
    const turn = client.turn(await latestTurn(schedule));
    console.log((await turn.result()).text);
    console.log(`turn ${turn.turnId}`);
  } finally {
    await schedule.delete();
  }
});

async function latestTurn(schedule: ScheduleHandle): Promise<string> {
  for (;;) {
    const { info } = await schedule.describe();
    const last = info.recentActions.at(-1);
    if (last) return last.action.workflow.workflowId;
    await setTimeout(100);
  }
}
