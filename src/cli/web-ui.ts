import type { TemporalServer } from '../server/embedded.js';

/** Where the Web UI shows a turn, or undefined where no Web UI is known. */
export function turnLink({ uiUrl, namespace }: TemporalServer, turnId: string): string | undefined {
  return uiUrl && `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(turnId)}`;
}
