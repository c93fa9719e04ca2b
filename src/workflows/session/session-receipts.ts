import type { CarriedSession } from '../../shared/carried-session.js';
import { latest } from '../../shared/json.js';
import { SEND_ID, type SendReceipt } from '../../shared/session-requests.js';

/** Five hundred, with ids of eighty characters, in what the next run is given. */
const CARRIED_BYTES = 200_000;

/** What became of each message that was sent to the session, by its id. */
export class SessionReceipts {
  readonly #receipts: Map<string, SendReceipt>;
  #unnamed: number;

  constructor(carried: Pick<CarriedSession, 'receipts' | 'unnamed'> | undefined) {
    this.#receipts = new Map(carried?.receipts.map((receipt) => [receipt.id, receipt]));
    this.#unnamed = carried?.unnamed ?? 0;
  }

  known(id: string): SendReceipt | undefined {
    return this.#receipts.get(id);
  }

  give(receipt: Omit<SendReceipt, 'v'>): SendReceipt {
    const print = receipt.print ?? this.#receipts.get(receipt.id)?.print;
    const given: SendReceipt = { v: 1, ...receipt, ...(print !== undefined && { print }) };
    this.#receipts.delete(receipt.id);
    this.#receipts.set(receipt.id, given);
    return given;
  }

  /** The ids of messages that are part of a turn. */
  ofTurn(turnId: string): string[] {
    return [...this.#receipts.values()].flatMap((receipt) => (receipt.turnId === turnId ? [receipt.id] : []));
  }

  /** For a message that bears none. */
  nextId(): string {
    do this.#unnamed += 1;
    while (this.#receipts.has(`t${this.#unnamed}`));
    return `t${this.#unnamed}`;
  }

  /** Of the turn that a message opens which was sent into another one: its own id, where that can be a turn's. */
  turnIdFor(id: string): string {
    const known = this.#receipts.get(id);
    const isFree = known === undefined || known.status === 'steered';
    return isFree && SEND_ID.test(id) ? id : this.nextId();
  }

  carried(): Pick<CarriedSession, 'receipts' | 'unnamed'> {
    return { receipts: latest([...this.#receipts.values()], CARRIED_BYTES), unnamed: this.#unnamed };
  }
}
