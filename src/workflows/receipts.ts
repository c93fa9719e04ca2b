import type { CarriedInterventions } from '../shared/carried.js';
import { FallbackIds, type InterventionKind, type Receipt, type Via } from '../shared/interventions.js';
import { latest } from '../shared/json.js';
import type { DecisionKind } from '../shared/people.js';

/** About a thousand, in what the next run of a turn is given. */
const CARRIED_BYTES = 100_000;

type Kind = InterventionKind | DecisionKind;

/** What became of each message that came. By kind and id: an interrupt counts, whatever id a steer has had. */
export class Receipts {
  readonly #receipts: Map<string, Receipt>;
  readonly #fallbackIds: FallbackIds;

  constructor(carried: Pick<CarriedInterventions, 'receipts' | 'fallbackIds'> | undefined) {
    this.#receipts = new Map(carried?.receipts.map((receipt) => [keyOf(receipt.kind, receipt.id), receipt]));
    this.#fallbackIds = new FallbackIds(carried?.fallbackIds);
  }

  /** For a message that bears none. */
  nextId(kind: Kind, via: Via): string {
    return this.#fallbackIds.next(kind, via);
  }

  known(kind: Kind, id: string): Receipt | undefined {
    return this.#receipts.get(keyOf(kind, id));
  }

  give(id: string, kind: Kind, status: Receipt['status'], problem?: string): Receipt {
    const receipt: Receipt = { v: 1, id, kind, status, ...(problem !== undefined && { problem }) };
    this.#receipts.set(keyOf(kind, id), receipt);
    return receipt;
  }

  carried(): Pick<CarriedInterventions, 'receipts' | 'fallbackIds'> {
    return {
      receipts: latest([...this.#receipts.values()], CARRIED_BYTES),
      fallbackIds: this.#fallbackIds.counts(),
    };
  }
}

function keyOf(kind: Kind, id: string): string {
  return `${kind} ${id}`;
}
