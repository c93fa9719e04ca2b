import { scriptedModel, text, toolCall } from 'holdfast/testing';

/**
 * Answers where no model is set up, so that all of this runs without a key: it asks for the order that you name, and says
 * what the tool answered. Delete this file when you have a model.
 */
export const offlineModel = scriptedModel([
  // It calls no tool but this one. To see yours called: return toolCall('my_tool', { its: 'arguments' });
  (messages) => {
    const orderId = /W\d+/.exec(JSON.stringify(messages))?.[0] ?? 'W2378156';
    return toolCall('look_up_order', { orderId });
  },
  (messages) => {
    const last = messages.at(-1);
    const result = last?.role === 'tool' ? last.content[0]?.content[0] : undefined;
    return text(`The shop says: ${result?.type === 'text' ? result.text : 'nothing'}`);
  },
]);
