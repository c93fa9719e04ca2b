import { userSays, wasRefused } from './ask.js';
import { type Finding, failed, none, ok } from './check.js';
import type { Endpoint } from './endpoint.js';
import { type AskModel, type Findings, seconds } from './findings.js';
import { failedWith } from './refusals.js';

const QUESTION = [userSays('Count from 1 to 20, as numbers with spaces between.')];
const WITHOUT = { body: { stream_options: null } };

/** Agents stream by default, so that text is seen as it comes and an interrupt keeps what has come. */
export async function streaming(endpoint: Endpoint, found: Findings, askModel: AskModel): Promise<Finding> {
  const asked = await askModel(QUESTION);
  found.streamed = asked;
  if (wasRefused(asked)) {
    const works = found.reply !== undefined && !wasRefused(found.reply);
    if (!works) found.hopeless = true;
    const mayBeField = works && asked.type === 'Model.BadRequest' && endpoint.options.api !== 'responses';
    if (mayBeField && (await streamsWithout(found, askModel))) {
      const says = `The server streams, and refuses stream_options. ${asked.problem}`;
      return failed(says, 'Leave it out: openai({ body: { stream_options: null } }).');
    }
    return failedWith(asked, works ? 'Replies in one piece work: openai({ stream: false }).' : undefined);
  }
  const { pieces, firstMs, ms } = asked;
  if (pieces <= 1) {
    return none(
      `The text came in one piece, after ${seconds(firstMs ?? ms)}: nothing is seen before its end.`,
      'The server does not stream, or a proxy before it holds back what it streams (nginx: proxy_buffering off).',
    );
  }
  return ok(`${pieces} pieces, the first after ${seconds(firstMs ?? ms)}, the last after ${seconds(ms)}.`, {
    pieces,
    firstMs: firstMs ?? null,
    ms,
  });
}

/** The field asks for token counts at the stream's end; the checks after this one go without it, too. */
async function streamsWithout(found: Findings, askModel: AskModel): Promise<boolean> {
  const asked = await askModel(QUESTION, {}, { ...WITHOUT, stream: true });
  if (wasRefused(asked)) return false;
  found.streamed = asked;
  found.options = WITHOUT;
  return true;
}
