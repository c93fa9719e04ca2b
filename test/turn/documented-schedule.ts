import type { AgentClient } from '../../src/client.js';

export async function reportNightly(client: AgentClient, taskQueue: string) {
  return await client.client.schedule.create({
    scheduleId: 'nightly-report',
    spec: { calendars: [{ hour: 3 }], timezone: 'Europe/Berlin' },
    policies: { overlap: 'SKIP' },
    action: client.turnAction('reporter', 'Report on yesterday.', { turnId: 'nightly-report', taskQueue }),
  });
}
