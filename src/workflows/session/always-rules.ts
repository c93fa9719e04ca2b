import { jsonBytes } from '../../shared/json.js';

/** Of the rules that people have added, for one agent; those before stay. */
const ALWAYS_BYTES = 25_000;
/** Agents whose rules are remembered; the others' people are asked anew. */
const ALWAYS_AGENTS = 4;

/** The rules that people have added by "always", by agent. */
export class AlwaysRules {
  readonly carried: Record<string, string[]>;

  constructor(carried: Record<string, string[]> = {}) {
    this.carried = carried;
  }

  of(agent: string): string[] | undefined {
    return this.carried[agent];
  }

  add(agent: string, added: readonly string[]): void {
    if (added.length === 0) return;
    const rules = [...new Set([...(this.of(agent) ?? []), ...added])];
    const isRoom = this.of(agent) !== undefined || Object.keys(this.carried).length < ALWAYS_AGENTS;
    if (isRoom && jsonBytes(rules) <= ALWAYS_BYTES) this.carried[agent] = rules;
  }
}
