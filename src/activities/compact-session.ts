import { Context } from '@temporalio/activity';
import { applyPieces } from '../shared/compaction/pieces.js';
import { tokensOfAll } from '../shared/compaction/tokens.js';
import { problemLine } from '../shared/compaction/wire.js';
import type { CompactedSession, CompactSessionInput } from '../shared/session-activities.js';
import { reconcile } from '../shared/transcript.js';
import { INLINE_BYTES } from './collect-turn.js';
import { compactMessages } from './compact-transcript.js';
import { compactionSettings } from './compaction-settings.js';
import { beatWhile } from './heartbeats.js';
import { notHere } from './not-here.js';
import type { ActivityServices } from './services.js';
import { packedView } from './session-segments.js';
import { unpackAll } from './transcript-segments.js';
import { Tries } from './tries.js';

/**
 * The messages that a session's next turn is to be given: a model writes a summary of the older turns. The session keeps the
 * whole ones beside them. Where nothing comes of it the answer says why, and changes nothing.
 */
export async function compactSession(
  services: ActivityServices,
  input: CompactSessionInput,
): Promise<CompactedSession> {
  const context = Context.current();
  const tries = new Tries(context);
  const agent = services.agents.find(input.agent, input.version);
  if (!agent) {
    const named = `the agent "${input.agent}"`;
    const failure = notHere('Agent.NotHere', named, services.agents, context.info.attempt);
    throw await tries.failed(failure, undefined);
  }
  const { sessionId: turnId, base, focus, metadata } = input;
  const details = () => tries.beat({ offset: 0, text: '' }, undefined);
  const messages = await beatWhile(context, { details }, () => unpackAll(base.segments, services.artifacts));
  const model = input.model ?? services.modelFor(agent).name;
  const settings = compactionSettings(agent.compaction, model, { instructions: '', tools: [] });
  const tokens = settings.overheadTokens + tokensOfAll(messages, settings.rates);
  const reply = await compactMessages(services, agent, {
    input: {
      ...{ v: 1, agent: agent.name, version: agent.version, turnId, iteration: 0, packed: 0 },
      ...{ transcript: { spans: [], tail: [] }, trigger: 'asked', tokens, settings, model },
      ...(focus !== undefined && { focus }),
      ...(metadata && { metadata }),
    },
    ...{ messages, tries, between: 'turns', tryMs: settings.timeoutMs },
  });
  if ('interrupted' in reply) {
    const problem = problemLine('It was interrupted.');
    return { v: 1, record: { trigger: 'asked', before: tokens, after: tokens, problem } };
  }
  const { record, pieces, spent } = reply;
  const made = pieces && reconcile(applyPieces(messages, pieces, 0).messages);
  const compacted = made && (await packedView(made, INLINE_BYTES / 2, services.artifacts));
  return { v: 1, record, ...(compacted && { compacted }), ...(spent && { spent }) };
}
