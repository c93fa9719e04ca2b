import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import { saysNothing } from '../openai/no-arguments.js';
import { isWholeJson, textOfItem, withArguments } from './output-items.js';
import { type Slot, slotTable } from './slot-table.js';

/** The items of a reply as a stream brings them, by their place in it; some servers tell only their ids, or nothing. */
export function outputSlots(onText: (text: string) => void) {
  const table = slotTable();
  let listed: { item: JsonObject; slot: Slot }[] = [];

  function show(slot: Slot, text: string): void {
    if (text === '') return;
    slot.streamed += text;
    onText(text);
  }

  /** Some servers send a text only when it is whole. */
  function showRest(slot: Slot, item: JsonObject): void {
    if (item['type'] !== 'message') return;
    const text = textOfItem(item);
    if (text.startsWith(slot.streamed)) show(slot, text.slice(slot.streamed.length));
  }

  function addDone(event: JsonObject, item: JsonObject): void {
    const slot = slotOf(table, event, plain(item['type']));
    showRest(slot, item);
    table.fill(slot, item, true);
  }

  return {
    /** What the ending lists, in its order. */
    showEnding(items: readonly JsonObject[]): void {
      listed = items.map((item, index) => ({ item, slot: table.ofListed(item, index) }));
      for (const { item, slot } of listed) showRest(slot, item);
    },
    add(type: string, event: JsonObject): void {
      const { item, delta } = event;
      switch (type) {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          if (typeof delta === 'string') show(slotOf(table, event, 'message'), delta);
          return;
        case 'response.output_item.added': {
          const [index, id] = placeOf(event);
          const slot = table.named(index, id) ?? table.add(index, id);
          if (isJsonObject(item) && slot.item === undefined) table.fill(slot, item, false);
          return;
        }
        case 'response.function_call_arguments.delta':
          if (typeof delta === 'string') callSlotOf(table, event).pieces += delta;
          return;
        case 'response.function_call_arguments.done':
          if (typeof event['arguments'] === 'string') callSlotOf(table, event).arguments = event['arguments'];
          return;
        case 'response.output_item.done':
          if (isJsonObject(item)) addDone(event, item);
          return;
        default:
      }
    },
    /** What the ending lists, else what came, in order; what was begun and not ended is marked as `incomplete`. */
    items(): JsonObject[] {
      const slots = table.all();
      const known = new Set(listed.map(({ slot }) => slot));
      const orphan = slots.some((slot) => !slot.item && !known.has(slot) && hasArguments(slot));
      if (listed.length > 0) return listed.map(({ item, slot }) => wholeItem(item, slot, orphan));
      return slots.flatMap((slot) => itemsOf(slot, orphan));
    },
  };
}

type Table = ReturnType<typeof slotTable>;

function slotOf(table: Table, event: JsonObject, type: string): Slot {
  const [index, id] = placeOf(event);
  return table.named(index, id) ?? table.open(type, index, id).at(-1) ?? table.add(index, id);
}

/** Of one call, if it can be told which: arguments are never given to another. */
function callSlotOf(table: Table, event: JsonObject): Slot {
  const [index, id] = placeOf(event);
  const named = table.named(index, id);
  if (named !== undefined) return named;
  const [only, another] = table.open('function_call', index, id);
  return only !== undefined && another === undefined ? only : table.add(index, id);
}

function hasArguments({ pieces, arguments: written = '' }: Slot): boolean {
  return !saysNothing(pieces) || !saysNothing(written);
}

function itemsOf(slot: Slot, orphan: boolean): JsonObject[] {
  const { item, done, streamed } = slot;
  if (done && item) return [wholeItem(item, slot, orphan)];
  if (item?.['type'] === 'function_call') {
    const written = slot.arguments;
    return [
      written === undefined
        ? { ...item, status: 'incomplete' }
        : { ...item, status: 'completed', arguments: written },
    ];
  }
  return streamed === '' ? [] : [{ type: 'message', content: [{ type: 'output_text', text: streamed }] }];
}

/** Some servers leave the arguments, which they have streamed, out of the item. `orphan`: so have they of an item unknown. */
function wholeItem(item: JsonObject, slot: Slot, orphan: boolean): JsonObject {
  const streamed = slot.arguments ?? (isWholeJson(slot.pieces) ? slot.pieces : undefined);
  return withArguments(item, streamed, orphan || slot.pieces !== '');
}

/** What an event tells of its item: its place, its id, or nothing. */
function placeOf({ output_index, item_id, item }: JsonObject): [index: string, id: string] {
  const index = output_index === undefined || output_index === null ? '' : String(output_index);
  return [index, plain(isJsonObject(item) ? item['id'] : item_id)];
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
