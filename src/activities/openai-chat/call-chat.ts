import type { ApiCall } from '../openai/api-call.js';
import { exchange } from '../openai/exchange.js';
import { originOf } from '../openai/origin.js';
import { postBody } from '../openai/post-body.js';
import type { WireReply } from '../openai/read-reply.js';
import { chatBody } from './chat-body.js';
import { chatReply } from './chat-reply.js';

/** One reply by Chat Completions. */
export async function callChat({ access, options, request, context }: ApiCall): Promise<WireReply> {
  const body = chatBody(request, access, options);
  return await exchange(context, {
    access,
    options,
    send: (client, signal) => postBody(client, '/chat/completions', body, signal),
    reply: chatReply(originOf(access), context.onText),
  });
}
