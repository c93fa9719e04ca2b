import type { Json } from '../../shared/json.js';

/** `failed`: agents would not work. `none`: not there, not told or not tried, which agents can live with. */
export type Status = 'ok' | 'failed' | 'none';

export type Finding = {
  status: Status;
  /** In plain words; one line. */
  says: string;
  /** What to do about it. */
  advice?: string;
  /** For machines. */
  data?: { [name: string]: Json };
};

/** One line of the report. `run` never throws; checks of one list run in its order, and may know of one another. */
export type Check = { name: string; run(): Promise<Finding> };

export type Checked = Finding & { check: string };

/** Runs the checks one by one and tells of each. Returns whether none failed. */
export async function runChecks(
  checks: readonly Check[],
  tell: (checked: Checked) => void,
): Promise<boolean> {
  let well = true;
  for (const { name, run } of checks) {
    const finding = await run();
    if (finding.status === 'failed') well = false;
    tell({ check: name, ...finding });
  }
  return well;
}

/** After something that leaves no hope for it. */
export const NOT_TRIED = 'not tried';

export function ok(says: string, data?: Finding['data'], advice?: string): Finding {
  return { status: 'ok', says, ...(advice && { advice }), ...(data && { data }) };
}

export function failed(says: string, advice?: string): Finding {
  return { status: 'failed', says, ...(advice && { advice }) };
}

export function none(says: string, advice?: string): Finding {
  return { status: 'none', says, ...(advice && { advice }) };
}
