import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import { textOfItem } from './output-items.js';

type Slot = { item?: JsonObject; done: boolean; arguments?: string; streamed: string };

/** The items of a reply as a stream brings them, by their place in it. */
export function outputSlots(onText: (text: string) => void) {
  const slots = new Map<string, Slot>();

  function slotAt(index: Json | undefined): Slot {
    const key = String(index ?? slots.size);
    const slot = slots.get(key) ?? { done: false, streamed: '' };
    slots.set(key, slot);
    return slot;
  }

  function show(slot: Slot, text: string): void {
    if (text === '') return;
    slot.streamed += text;
    onText(text);
  }

  /** Some servers send a text only when it is whole. */
  function showRest(index: Json | undefined, item: JsonObject): void {
    if (item['type'] !== 'message') return;
    const slot = slotAt(index);
    const text = textOfItem(item);
    if (text.startsWith(slot.streamed)) show(slot, text.slice(slot.streamed.length));
  }

  return {
    showRest,
    add(type: string, event: JsonObject): void {
      const { output_index: index, item, delta } = event;
      switch (type) {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          if (typeof delta === 'string') show(slotAt(index), delta);
          return;
        case 'response.output_item.added':
          if (isJsonObject(item)) slotAt(index).item ??= item;
          return;
        case 'response.function_call_arguments.done':
          if (typeof event['arguments'] === 'string') slotAt(index).arguments = event['arguments'];
          return;
        case 'response.output_item.done':
          if (!isJsonObject(item)) return;
          showRest(index, item);
          Object.assign(slotAt(index), { item, done: true });
          return;
        default:
      }
    },
    /** In order; what was begun and not ended is marked as `incomplete`. */
    items(): JsonObject[] {
      return [...slots.values()].flatMap((slot) => {
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
