// A durable agent as anyone writes it first on Temporal: each model call is sent the whole conversation.
import { proxyActivities } from '@temporalio/workflow';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { NaiveActivities } from './activities.js';

const { callModel, runTool } = proxyActivities<NaiveActivities>({ startToCloseTimeout: '10 minutes' });

export async function naiveAgent(instructions: string, prompt: string): Promise<string> {
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: instructions },
    { role: 'user', content: prompt },
  ];
  for (;;) {
    const reply = await callModel(messages);
    messages.push(reply);
    if (!reply.tool_calls?.length) return reply.content ?? '';
    for (const call of reply.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: await runTool(call) });
    }
  }
}
