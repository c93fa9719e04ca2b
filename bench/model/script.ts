import { type Script, text, toolCall } from 'holdfast/testing';
import { TOOL_NAME } from './task.js';

const MAX_ROUNDS = 1000;

/** Asks for one page after the other, as many as the prompt says. */
export const script: Script = Array.from({ length: MAX_ROUNDS + 1 }, (_, index): Script[number] => {
  return (messages) => {
    const prompt = JSON.stringify(messages.find((message) => message.role === 'user')?.content);
    const rounds = Number(/Read (\d+) pages/.exec(prompt)?.[1] ?? 0);
    return index < rounds ? toolCall(TOOL_NAME, { page: index + 1 }) : text('I have read it all.');
  };
});
