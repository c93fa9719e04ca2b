import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import { textOfItem } from './output-items.js';

type Slot = {
  index: string;
  id: string;
  item?: JsonObject;
  done: boolean;
  arguments?: string;
  streamed: string;
};

/** The items of a reply as a stream brings them, by their place in it; some servers tell only their ids, or nothing. */
export function outputSlots(onText: (text: string) => void) {
  const slots: Slot[] = [];

  function add(index: string, id: string): Slot {
    const slot: Slot = { index, id, done: false, streamed: '' };
    slots.push(slot);
    return slot;
  }

  function named(index: string, id: string): Slot | undefined {
    if (index !== '') return slots.find((slot) => slot.index === index);
    return id === '' ? undefined : slots.find((slot) => slot.id === id);
  }

  /** The slots of items of a type that may still go on, as far as an event tells. */
  function open(type: string, index: string, id: string): Slot[] {
    return slots.filter((slot) => {
      const fits = (!slot.item && type === 'message') || slot.item?.['type'] === type;
      const isOther = (index !== '' && slot.index !== '') || (id !== '' && slot.id !== '');
      return fits && !slot.done && !isOther;
    });
  }

  function slotOf(event: JsonObject, type: string): Slot {
    const [index, id] = placeOf(event);
    return named(index, id) ?? open(type, index, id).at(-1) ?? add(index, id);
  }

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

  /** By its id, its place, or what was shown of it. */
  function slotOfListed(item: JsonObject, index: number): Slot {
    const text = textOfItem(item);
    const known = named('', plain(item['id'])) ?? named(String(index), '');
    const shown = slots.find(
      (slot) => slot.index === '' && slot.streamed !== '' && text.startsWith(slot.streamed),
    );
    return known ?? shown ?? add(String(index), '');
  }

  return {
    /** What the ending lists, in its order. */
    showEnding(items: readonly JsonObject[]): void {
      for (const [index, item] of items.entries()) showRest(slotOfListed(item, index), item);
    },
    add(type: string, event: JsonObject): void {
      const { item, delta } = event;
      switch (type) {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          if (typeof delta === 'string') show(slotOf(event, 'message'), delta);
          return;
        case 'response.output_item.added': {
          const [index, id] = placeOf(event);
          const slot = named(index, id) ?? add(index, id);
          if (isJsonObject(item)) slot.item ??= item;
          return;
        }
        case 'response.function_call_arguments.done': {
          const [index, id] = placeOf(event);
          const only = open('function_call', index, id);
          const slot = named(index, id) ?? (only.length === 1 ? only[0] : undefined);
          if (slot && typeof event['arguments'] === 'string') slot.arguments = event['arguments'];
          return;
        }
        case 'response.output_item.done': {
          if (!isJsonObject(item)) return;
          const slot = slotOf(event, plain(item['type']));
          showRest(slot, item);
          Object.assign(slot, { item, done: true });
          return;
        }
        default:
      }
    },
    /** In order; what was begun and not ended is marked as `incomplete`. */
    items(): JsonObject[] {
      return slots.flatMap((slot) => {
        const { item, done, streamed } = slot;
        if (done && item) return [item];
        if (item?.['type'] === 'function_call') {
          const written = slot.arguments;
          return [
            written === undefined
              ? { ...item, status: 'incomplete' }
              : { ...item, status: 'completed', arguments: written },
          ];
        }
        return streamed === ''
          ? []
          : [{ type: 'message', content: [{ type: 'output_text', text: streamed }] }];
      });
    },
  };
}

/** What an event tells of its item: its place, its id, or nothing. */
function placeOf({ output_index, item_id, item }: JsonObject): [index: string, id: string] {
  const index = output_index === undefined || output_index === null ? '' : String(output_index);
  return [index, plain(isJsonObject(item) ? item['id'] : item_id)];
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
