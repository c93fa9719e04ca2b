import type { SendReceipt, WhileBusy } from '../../shared/session-requests.js';

/** What became of a message, where that is not what happens by itself. `whileBusy`: `false` where no turn ran. */
export function sentLine({ status }: SendReceipt, whileBusy: WhileBusy | false): string | undefined {
  if (status === 'steered') return '  ↳ joins the running turn before its next model call';
  if (!whileBusy || status !== 'queued') return undefined;
  return whileBusy === 'replace' ? '  ↳ is next; what runs is interrupted' : '  ↳ waits for its turn';
}
