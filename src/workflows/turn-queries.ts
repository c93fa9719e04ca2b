import { defineQuery, setHandler } from '@temporalio/workflow';
import {
  MESSAGES_QUERY,
  type MessagesPage,
  type MessagesPageRequest,
  STATE_QUERY,
  type TurnState,
} from '../shared/turn.js';
import type { TurnRun } from './turn-run.js';

const stateQuery = defineQuery<TurnState>(STATE_QUERY);
const messagesQuery = defineQuery<MessagesPage, [MessagesPageRequest?]>(MESSAGES_QUERY);

export function answerQueries(run: TurnRun): void {
  setHandler(stateQuery, () => run.state(), {
    description: 'What the turn is doing, without its messages.',
  });
  setHandler(messagesQuery, (request) => run.transcript.page(request), {
    description: 'The transcript in pages: {"v":1,"from":0}.',
  });
}
