import type { Refused } from './ask.js';
import { type Finding, failed } from './check.js';

type Words = readonly [says: string, advice: string];

const PASSING = 'Agents try again by themselves; the doctor asks once.';

/** For one who looks at a server now, where a turn's own errors speak of its tries. */
const wordsOf: Readonly<Record<string, Words>> = {
  'Model.PermissionDenied': [
    'The key may not do this.',
    'Ask the provider for access to the model, or use another key or model.',
  ],
  'Model.NotFound': [
    'There is no such model, or nothing at this address.',
    "Check the model's name and OPENAI_BASE_URL, which usually ends in /v1.",
  ],
  'Model.BadRequest': [
    'The server refuses the request.',
    'Take away or change what it complains of: openai({ body: { thatField: null } }).',
  ],
  'Model.ContextTooLong': ['A tiny request is too long for it.', "Raise the server's context length."],
  'Model.QuotaExceeded': [
    "The account's quota is used up.",
    'Add credit, or raise its limit at the provider.',
  ],
  'Model.RateLimited': ['The server limits requests.', `${PASSING} If it goes on, raise the rate limit.`],
  'Model.Overloaded': ['The server is overloaded.', `${PASSING} If it goes on, use another model.`],
  'Model.Unavailable': ['The server failed.', `${PASSING} If it goes on, see its log or its status page.`],
  'Model.Timeout': [
    'The server took too long.',
    'It may still load the model: ask again, or give --timeout more seconds.',
  ],
  'Model.Connection': [
    'The connection broke.',
    'Check the network, a proxy in between, and that the server runs.',
  ],
  'Model.StreamCut': [
    'The reply was cut before its end.',
    "See the server's log, and whether a proxy in between ends answers early.",
  ],
  'Model.BadResponse': ["The answer is no reply of OpenAI's protocol.", 'Check OPENAI_BASE_URL.'],
  'Model.EmptyReply': ['The model said nothing and called nothing.', 'Ask again; then use another model.'],
};

const REGION =
  /unsupported_country|(?:country|region|territory|location)\b.{0,60}\bnot (?:supported|available)/i;
const REGION_WORDS: Words = [
  'The provider does not serve this country or region.',
  'No key helps. Use another provider, or one of its partners that serves this place.',
];

/** `details`: what was said of it. */
export function refusedWith(type: string, details: string): Refused {
  const words = type === 'Model.PermissionDenied' && REGION.test(details) ? REGION_WORDS : wordsOf[type];
  if (words === undefined) return { type, problem: details };
  const [says, advice] = words;
  return { type, problem: `${says} ${details}`, advice };
}

/** By where the request comes from, and not by its key. */
export function isOfRegion({ problem }: Refused): boolean {
  return problem.startsWith(REGION_WORDS[0]);
}

export function failedWith({ problem, advice }: Refused, instead?: string): Finding {
  return failed(problem, instead ?? advice);
}
