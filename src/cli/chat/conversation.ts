import { randomUUID } from 'node:crypto';
import type { AgentClient } from '../../client/agent-client.js';
import type { SessionHandle } from '../../client/session-handle.js';
import type { SendOptions } from '../../client/session-options.js';
import type { TurnEvent } from '../../shared/events.js';
import type { SendReceipt, WhileBusy, WithdrawReceipt } from '../../shared/session-requests.js';
import { EXITS_AT_LIMIT } from '../exit-codes.js';
import type { Desk } from '../people/ask-in-terminal.js';
import { cut, oneLine } from '../table.js';
import { safeText } from '../terminal.js';
import { TurnPrinter } from '../turn-printer.js';
import { printJsonEnd, printOutcome } from '../turn-report.js';
import { deskOnScreen } from './desk-on-screen.js';
import { OpenTurns } from './open-turns.js';
import { OwnCompactions } from './own-compactions.js';
import type { Screen } from './screen.js';
import { sentLine } from './sent-line.js';
import { SessionWatch } from './session-watch.js';
import { leaveToWait, takeBack } from './waiting-messages.js';

/** What each message is sent with. */
export type Asked = Pick<SendOptions, 'mode' | 'limits' | 'model'> & { agent: string };

/** Said where a limit has ended a turn and nothing else is said. */
export const GO_ON = 'Go on.';

/** Of the first message, as the session's title. */
const TITLE_COLUMNS = 60;

/** A session on a screen: what is sent to it, and what its turns do. */
export class Conversation {
  session: SessionHandle;
  readonly asked: Asked;
  readonly screen: Screen;
  readonly printer: TurnPrinter;
  /** A session begins with its first message. */
  isBegun = false;
  /** The exit code of the last turn. */
  exitCode = 0;
  /** A limit has ended the last turn. */
  isAtLimit = false;
  /** The turn that runs was told to end. */
  isInterrupted = false;
  /** The session takes no message any more. */
  isClosed = false;
  readonly compactions = new OwnCompactions();
  #isNextInterrupted = false;
  readonly #client: AgentClient;
  readonly #begun: (title: string) => SessionHandle;
  readonly #isJson: boolean;
  readonly #turns = new OpenTurns(() => this.screen.prompt(this.isBusy ? 'steer> ' : '> '));
  /** Whose prompts are on the screen already. */
  readonly #shown = new Set<string>();
  #running: { turnId: string; desk: Desk; startedAt: string } | undefined;
  #watch: SessionWatch | undefined;
  /** The session can't be watched any more. */
  onFault: (error: unknown) => void = () => undefined;
  /** What was sent, and kept, has come to nothing. */
  onUnsent: (error: unknown) => void = () => undefined;
  /** The session has been closed, and its last turn has ended. */
  onEnd: () => void = () => undefined;

  constructor(
    client: AgentClient,
    session: (title?: string) => SessionHandle,
    { screen, asked, isJson }: { screen: Screen; asked: Asked; isJson: boolean },
  ) {
    this.#client = client;
    this.#begun = session;
    this.session = session();
    this.screen = screen;
    this.asked = asked;
    this.#isJson = isJson;
    this.printer = new TurnPrinter(screen.terminal);
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  /** Resolves once no turn runs or waits. */
  async idle(): Promise<void> {
    await this.#turns.idle();
  }

  /** Ends the running turn, or the next one where that is only about to begin. */
  async interrupt(): Promise<void> {
    const { turnId } = this.#running ?? {};
    if (turnId === undefined) this.#isNextInterrupted = true;
    else await this.#interruptTurn(turnId);
  }

  /** The turn itself: the session may have gone on to another one by now. */
  async #interruptTurn(turnId: string): Promise<void> {
    this.#isNextInterrupted = false;
    this.isInterrupted = true;
    await this.#client.turn(turnId).interrupt('Ctrl-C');
  }

  note(text: string): void {
    if (!this.#isJson) this.printer.note(text);
    else process.stderr.write(`${text}\n`);
  }

  /** Less than a note. */
  remark(text: string): void {
    this.note(this.screen.terminal.style.dim(text));
  }

  async say(text: string, whileBusy: WhileBusy): Promise<void> {
    const wasBusy = this.isBusy;
    // What was to be ended has gone without a beginning.
    if (!wasBusy) this.#isNextInterrupted = false;
    const id = randomUUID();
    const own = `${this.session.sessionId}/${id}`;
    this.isAtLimit = false;
    this.#shown.add(own);
    // Its turn may be over before the session has answered.
    this.#turns.opened(own);
    const { agent, ...rest } = this.asked;
    if (!this.isBegun) this.session = this.#begun(cut(oneLine(text), TITLE_COLUMNS));
    try {
      const turn = await this.session.send(agent, text, { id, whileBusy, stream: true, ...rest });
      this.watch();
      if (turn.turnId !== own) this.#turns.closed(own);
      if (turn.sent) this.#tell(turn.sent, own, wasBusy && whileBusy);
      else this.remark('No worker has answered yet. The message is kept; its turn comes when one does.');
      if (!turn.sent || (turn.sent.status === 'queued' && turn.turnId === own)) {
        this.#turns.waits(own, text);
        leaveToWait(turn, own, this.#turns, (error) => this.onUnsent(error));
      }
    } catch (error) {
      this.#turns.closed(own);
      throw error;
    }
  }

  /** Whether a message waits that this chat has sent. */
  isOwn(id: string): boolean {
    return this.#turns.isWaiting(`${this.session.sessionId}/${id}`);
  }

  /** Takes a message back by its id. `text`: what it said, where this chat has sent it. */
  async withdraw(id: string): Promise<{ status: WithdrawReceipt['status']; text: string | undefined }> {
    return await takeBack(this.session, id, this.#turns);
  }

  #tell(receipt: SendReceipt, own: string, whileBusy: WhileBusy | false): void {
    // Once its turn begins, more is on the screen.
    if (whileBusy && receipt.status !== 'started') this.#shown.delete(own);
    const line = sentLine(receipt, whileBusy);
    if (line !== undefined) this.remark(line);
  }

  /** Follows the session from after an offset on, or from its start. */
  watch(after?: string): void {
    this.isBegun = true;
    this.#watch ??= new SessionWatch(this.session, after, {
      hear: (event) => this.#hear(event),
      fault: (error) => this.onFault(error),
      end: () => {
        this.isClosed = true;
        this.onEnd();
      },
    });
  }

  /** A turn that runs already. */
  expect(turnId: string): void {
    this.#turns.opened(turnId);
  }

  /** Goes on with another session. What this one does is not shown any more. */
  async moveTo(session: SessionHandle): Promise<void> {
    await this.leave();
    this.#isNextInterrupted = false;
    this.#turns.forget();
    this.session = session;
    this.watch();
  }

  async leave(): Promise<void> {
    this.#running?.desk.close();
    this.#running = undefined;
    await this.#watch?.leave();
    this.#watch = undefined;
  }

  async #hear(event: TurnEvent): Promise<void> {
    if (this.#isJson) process.stdout.write(`${JSON.stringify(event)}\n`);
    if (event.type === 'turn_started') this.#begin(event);
    const { desk } = this.#running ?? {};
    const isTold = event.type === 'compaction' && !this.#running && this.compactions.take();
    if (!this.#isJson && !isTold) {
      this.printer.print(event);
      desk?.hear(event);
    }
    if (event.type === 'turn_ended') await this.#end(event);
  }

  #begin({ turnId, at, agent, prompt }: Extract<TurnEvent, { type: 'turn_started' }>): void {
    this.#turns.opened(turnId);
    if (!this.#isJson && !this.#shown.has(turnId))
      this.note(this.screen.terminal.style.bold(`> ${safeText(prompt)}`));
    if (agent !== this.asked.agent) this.remark(`  ${agent}:`);
    const desk = deskOnScreen(this.#client.turn(turnId), this.screen, (text) => this.note(text));
    this.#running = { turnId, desk, startedAt: at };
    this.isInterrupted = false;
    if (this.#isNextInterrupted) this.#interruptTurn(turnId).catch((error: unknown) => this.onFault(error));
  }

  async #end({ turnId, at }: Extract<TurnEvent, { type: 'turn_ended' }>): Promise<void> {
    const { desk, startedAt = at } = this.#running ?? {};
    desk?.close();
    this.#running = undefined;
    const turn = this.#client.turn(turnId);
    const tookMs = Date.parse(at) - Date.parse(startedAt);
    this.exitCode = this.#isJson ? await printJsonEnd(turn) : await printOutcome(this.printer, turn, tookMs);
    this.isAtLimit = EXITS_AT_LIMIT.includes(this.exitCode);
    if (this.isAtLimit && this.screen.isTerminal)
      this.note(`A limit has ended it. Enter alone goes on (“${GO_ON}”); or say what else.`);
    this.#turns.closed(turnId);
  }
}
