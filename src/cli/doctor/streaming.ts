import { userSays, wasRefused } from './ask.js';
import { type Finding, failed, none, ok } from './check.js';
import { type AskModel, type Findings, seconds } from './findings.js';

/** Agents stream by default, so that text is seen as it comes and an interrupt keeps what has come. */
export async function streaming(found: Findings, askModel: AskModel): Promise<Finding> {
  const asked = await askModel([userSays('Count from 1 to 20, as numbers with spaces between.')]);
  found.streamed = asked;
  if (wasRefused(asked)) {
    const works = found.reply !== undefined && !wasRefused(found.reply);
    if (!works) found.hopeless = true;
    return failed(asked.problem, works ? 'Replies in one piece work: openai({ stream: false }).' : undefined);
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
