import type { TurnEvent } from '../../shared/events.js';
import { wireLine } from '../../shared/wire-text.js';
import { safeText } from '../terminal.js';

const LINE_BYTES = 300;

type PersonEvent = Extract<TurnEvent, { type: 'approval_requested' | 'question_asked' | 'decided' }>;

/** One line on what a person is asked, or has decided. */
export function personLine(event: PersonEvent): string {
  const line = (text: string) => wireLine(safeText(text), LINE_BYTES);
  switch (event.type) {
    case 'approval_requested':
      return line(`? ${event.summary} needs an approval (${event.why}) · call ${event.callId}`);
    case 'question_asked':
      return line(`? ${event.question} · call ${event.callId}`);
    case 'decided': {
      const { kind, by, reason } = event.decision;
      const said = `${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : `: ${reason}`}`;
      return line(`! ${event.name} ${kind}${said}`);
    }
    default:
      return event satisfies never;
  }
}
