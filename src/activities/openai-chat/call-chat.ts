import type { ApiCall } from '../openai/api-call.js';
import { exchange } from '../openai/exchange.js';
import { placeOf } from '../openai/origin.js';
import { postBody } from '../openai/post-body.js';
import type { WireReply } from '../openai/read-reply.js';
import { sendWithReasoning } from '../openai/reasoning-refusals.js';
import { chatBody } from './chat-body.js';
import { chatReply } from './chat-reply.js';

/** One reply by Chat Completions. */
export async function callChat({ access, options, request, context }: ApiCall): Promise<WireReply> {
  const place = placeOf(access, request);
  const asked = { place, messages: request.messages, canGiveMore: options.sendReasoning !== 'never' };
  return await exchange(context, {
    access,
    options,
    send: (client, signal) =>
      sendWithReasoning(asked, () =>
        postBody(client, '/chat/completions', chatBody(request, access, options), signal),
      ),
    reply: chatReply(place.origin, context.onText, Number(options.body?.['n'] ?? 1) > 1),
  });
}
