import type { Json, JsonObject } from '../../shared/json.js';
import { textOfItem } from './output-items.js';

/** An item of a reply, as far as it has come. */
export type Slot = {
  index: string;
  id: string;
  item?: JsonObject;
  done: boolean;
  /** Of a call, whole; and as they were streamed. */
  arguments?: string;
  pieces: string;
  /** The text that was shown. */
  streamed: string;
};

/** The slots of a reply. A stream may have thousands, so that none is looked for among all. */
export function slotTable() {
  const slots: Slot[] = [];
  const byIndex = new Map<string, Slot>();
  const byId = new Map<string, Slot>();
  const byCallId = new Map<string, Slot>();
  const notDone = new Set<Slot>();
  const placeless: Slot[] = [];

  function add(index: string, id: string): Slot {
    const slot: Slot = { index, id, done: false, pieces: '', streamed: '' };
    slots.push(slot);
    notDone.add(slot);
    if (index === '') placeless.push(slot);
    if (index !== '' && !byIndex.has(index)) byIndex.set(index, slot);
    if (id !== '' && !byId.has(id)) byId.set(id, slot);
    return slot;
  }

  function named(index: string, id: string): Slot | undefined {
    return index === '' ? byId.get(id) : byIndex.get(index);
  }

  /** A slot that is without a place may be known by what was shown of it. */
  function shownOf(item: JsonObject): Slot | undefined {
    const text = textOfItem(item);
    if (text === '') return undefined;
    return placeless.find(({ streamed }) => streamed !== '' && text.startsWith(streamed));
  }

  return {
    add,
    named,
    all: (): readonly Slot[] => slots,
    fill(slot: Slot, item: JsonObject, done: boolean): void {
      Object.assign(slot, { item, done });
      const callId = plain(item['call_id']);
      if (callId !== '' && !byCallId.has(callId)) byCallId.set(callId, slot);
      if (done) notDone.delete(slot);
    },
    /** The slots of items of a type that may still go on, as far as an event tells. */
    open(type: string, index: string, id: string): Slot[] {
      return [...notDone].filter((slot) => {
        const isText = slot.pieces === '' && slot.arguments === undefined;
        const fits = slot.item ? slot.item['type'] === type : type === 'message' ? isText : !isText;
        const isOther = (index !== '' && slot.index !== '') || (id !== '' && slot.id !== '');
        return fits && !isOther;
      });
    },
    /** That of an item of the ending: by its id, its place, or what was shown of it. */
    ofListed(item: JsonObject, index: number): Slot {
      const there = byIndex.get(String(index));
      if (there?.item && isSame(there.item, item)) return there;
      const known = byId.get(plain(item['id'])) ?? byCallId.get(plain(item['call_id']));
      return known ?? (mayBe(there, item) ? there : undefined) ?? shownOf(item) ?? add(String(index), '');
    },
  };
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return ['id', 'call_id'].some((field) => plain(one[field]) !== '' && one[field] === other[field]);
}

/** Nothing says that the slot at a place is another item's than the one that the ending lists there. */
function mayBe(slot: Slot | undefined, item: JsonObject): slot is Slot {
  if (slot === undefined) return false;
  const there = slot.item ?? item;
  const ids = [plain(there['call_id']), plain(item['call_id'])];
  return there['type'] === item['type'] && (ids.includes('') || ids[0] === ids[1]);
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
