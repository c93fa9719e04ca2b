import type { ApiCall } from '../openai/api-call.js';
import { exchange } from '../openai/exchange.js';
import { originOf } from '../openai/origin.js';
import { postBody } from '../openai/post-body.js';
import type { WireReply } from '../openai/read-reply.js';
import { callInBackground } from './call-in-background.js';
import { responsesBody } from './responses-body.js';
import { responsesReply } from './responses-reply.js';

/** One reply by the Responses API. */
export async function callResponses(call: ApiCall): Promise<WireReply> {
  const { access, options, request, context } = call;
  if (options.background) return await callInBackground(call);
  const body = responsesBody(request, access, options);
  return await exchange(context, {
    access,
    options,
    send: (client, signal) => postBody(client, '/responses', body, signal),
    reply: responsesReply(originOf(access), context.onText),
  });
}
