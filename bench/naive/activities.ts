import { OpenAI } from 'openai';
import type {
  ChatCompletionMessage,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { page, TOOL_DESCRIPTION, TOOL_NAME } from '../model/task.js';

const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: TOOL_NAME,
      description: TOOL_DESCRIPTION,
      parameters: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
    },
  },
];

export type NaiveActivities = ReturnType<typeof naiveActivities>;

export function naiveActivities(baseURL: string) {
  const openai = new OpenAI({ baseURL, apiKey: 'none' });
  return {
    async callModel(messages: ChatCompletionMessageParam[]): Promise<ChatCompletionMessage> {
      const completion = await openai.chat.completions.create({ model: 'scripted', messages, tools });
      const [choice] = completion.choices;
      if (!choice) throw new Error('The model gave no answer.');
      return choice.message;
    },

    async runTool(call: ChatCompletionMessageToolCall): Promise<string> {
      if (call.type !== 'function') throw new Error(`No tool of type ${call.type}.`);
      const args: { page: number } = JSON.parse(call.function.arguments);
      return page(args.page);
    },
  };
}
