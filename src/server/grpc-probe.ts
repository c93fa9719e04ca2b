import { Connection } from '@temporalio/client';

/**
 * True where a Temporal server answers at `address` within `deadlineMs`; with `namespace`, only when it knows that one.
 * Connect by TCP first: in grpc-js a refused channel backs off for a second, for every later connection of the process.
 */
export async function answersAsTemporal(
  address: string,
  { namespace, deadlineMs = 1_000 }: { namespace?: string; deadlineMs?: number } = {},
): Promise<boolean> {
  const connection = Connection.lazy({ address });
  try {
    await connection.withDeadline(Date.now() + deadlineMs, async () => {
      await connection.workflowService.getSystemInfo({});
      if (namespace !== undefined) await connection.workflowService.describeNamespace({ namespace });
    });
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** True where Temporal's Web UI answers at `uiUrl`, and not some other web server. */
export async function answersAsWebUi(uiUrl: string, timeoutMs = 500): Promise<boolean> {
  try {
    const response = await fetch(`${uiUrl}/api/v1/settings`, { signal: AbortSignal.timeout(timeoutMs) });
    const settings: unknown = response.ok ? await response.json() : undefined;
    return typeof settings === 'object' && settings !== null && 'DefaultNamespace' in settings;
  } catch {
    return false;
  }
}
