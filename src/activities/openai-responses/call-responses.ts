import type { ApiCall } from '../openai/api-call.js';
import { exchange } from '../openai/exchange.js';
import { placeOf } from '../openai/origin.js';
import { postBody } from '../openai/post-body.js';
import type { WireReply } from '../openai/read-reply.js';
import { sendWithReasoning } from '../openai/reasoning-refusals.js';
import { callInBackground } from './call-in-background.js';
import { responsesBody } from './responses-body.js';
import { responsesReply } from './responses-reply.js';

/** One reply by the Responses API. */
export async function callResponses(call: ApiCall): Promise<WireReply> {
  const { access, options, request, context } = call;
  if (options.background) return await callInBackground(call);
  const place = placeOf(access, request);
  return await exchange(context, {
    access,
    options,
    send: (client, signal) =>
      sendWithReasoning({ place, messages: request.messages, canGiveMore: false }, () =>
        postBody(client, '/responses', responsesBody(request, access, options), signal),
      ),
    reply: responsesReply(place.origin, context.onText),
  });
}
