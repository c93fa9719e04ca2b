import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
  type Resume,
} from '../shared/model-port.js';
import { errorText } from '../shared/wire-text.js';

/** What says that a provider is down, rather than that the request is wrong. */
const DOWN = [
  'Model.Connection',
  'Model.Overloaded',
  'Model.Unavailable',
  'Model.Timeout',
  'Model.StreamCut',
  'Model.RateLimited',
  // A maintenance page, and what nobody has a word for.
  'Model.BadResponse',
  'Model.Failed',
];
/** A provider that asks for less is waited for. */
const SHORT_WAIT_MS = 5_000;
/** A provider that was down is asked last for so long, where it didn't say itself. */
const REST_MS = 30_000;

type Member = {
  model: Model;
  index: number;
  restsUntil: number;
  /** Ends those calls that wait for their turn at it by its limits, and have another model to go to. */
  queued: Set<AbortController>;
};

/**
 * Models in order: each call goes to the first that is not known to be down, and from there to the next until one
 * answers. The reply's `model` says which one did. One that was down is asked last for a while, and calls that wait for
 * their turn at it go on to the next. Text that was streamed can't be taken back within a try, so a model that fails
 * after its first text fails the try, and the next try goes to the next model. A turn that names a model itself gets
 * that name from the first one only: the others go by their own. What one that is passed over works on by itself is
 * ended there.
 */
export function fallback(models: readonly [Model, ...Model[]]): Model {
  const [first] = models;
  const members = models.map((model, index): Member => ({ model, index, restsUntil: 0, queued: new Set() }));

  async function call(request: ModelRequest, context: ModelContext): Promise<ModelResponse> {
    const failures: ModelError[] = [];
    const order = inOrder(members, context.resume);
    for (const member of order) {
      const isLast = member === order.at(-1);
      const patienceMs = isLast ? untilAnotherMayBeAsked(order, member) : SHORT_WAIT_MS;
      const longestWaitMs = Math.min(patienceMs, context.longestWaitMs ?? Infinity);
      const asked = askedOf(member, { ...context, longestWaitMs }, !isLast);
      const model = member.index === 0 ? request.model : member.model.name;
      try {
        return await member.model.call({ ...request, model }, asked.context);
      } catch (thrown) {
        const error = asModelError(thrown);
        if (context.signal.aborted || !isDown(error)) throw thrown;
        rest(member, error);
        if (asked.streamed()) throw thrown;
        failures.push(error);
        if (!isLast) await passOver(member, error, context, asked.waits());
      } finally {
        asked.end();
      }
    }
    throw allFailed(failures);
  }

  return {
    get name() {
      return first.name;
    },
    call,
    unpriced(name) {
      const found = models.map((model, index) => model.unpriced?.(index === 0 ? name : model.name));
      return found.find((each) => each !== undefined);
    },
    async cancel(kept) {
      const [index, id] = split(kept);
      if (id !== undefined) await members.find((each) => each.index === index)?.model.cancel?.(id);
    },
    async prepare() {
      await Promise.all(models.map((model) => model.prepare?.()));
    },
  };
}

/** One call at one member. `mayLeave`: while it waits for its turn there, it ends when the member is found to be down. */
function askedOf(member: Member, context: ModelContext, mayLeave: boolean) {
  let streamed = false;
  let stage: 'waiting' | 'sent' | undefined;
  const queued = new AbortController();
  const { resume, ...rest } = context;
  const own: ModelContext = {
    ...rest,
    signal: AbortSignal.any([context.signal, queued.signal]),
    onText(text) {
      streamed = true;
      context.onText(text);
    },
    onStage(now) {
      stage = now;
      if (now === 'waiting' && mayLeave) member.queued.add(queued);
      else member.queued.delete(queued);
      context.onStage?.(now);
    },
    ...(resume && { resume: resumeOf(resume, member) }),
  };
  return {
    context: own,
    streamed: () => streamed,
    waits: () => stage === 'waiting',
    end: () => member.queued.delete(queued),
  };
}

function rest(member: Member, { type, message, retryAfterMs }: ModelError): void {
  member.restsUntil = Date.now() + (retryAfterMs ?? REST_MS);
  for (const each of member.queued)
    each.abort(new ModelError(type, message, { retryable: true, retryAfterMs }));
}

/** Those before the last one in the order are down by then, or rest. */
function untilAnotherMayBeAsked(order: readonly Member[], last: Member): number {
  const soonest = Math.min(...order.filter((each) => each !== last).map(({ restsUntil }) => restsUntil));
  return Math.max(SHORT_WAIT_MS, soonest - Date.now());
}

/** The reply that it goes on making would else be paid for, and gone on with by the next try. */
async function passOver(
  member: Member,
  { usage }: ModelError,
  context: ModelContext,
  wasNotSent: boolean,
): Promise<void> {
  const { resume, onSpent } = context;
  const id = resume && resumeOf(resume, member).get();
  if (id !== undefined) await member.model.cancel?.(id);
  if (id !== undefined || !wasNotSent) onSpent?.(id === undefined ? usage : (usage ?? 'unknown'));
  context.onWait?.(undefined);
  // Not every model says it itself.
  if (wasNotSent) context.onStage?.('sent');
  if (id !== undefined) await resume?.set('');
}

/** A call that one of them has begun goes on there; else those that rest come last. */
function inOrder(members: readonly Member[], resume: Resume | undefined): Member[] {
  const now = Date.now();
  const [begun] = split(resume?.get());
  const rank = ({ index, restsUntil }: Member) => (index === begun ? 0 : restsUntil <= now ? 1 : 2);
  return members.toSorted((one, other) => rank(one) - rank(other));
}

/** The id is kept with the number of the member that it belongs to. */
function resumeOf(resume: Resume, member: Member): Resume {
  return {
    get() {
      const [index, id] = split(resume.get());
      return index === member.index ? id : undefined;
    },
    set: (id) => resume.set(id === '' ? '' : `${member.index}:${id}`),
    goesOn: () => resume.goesOn(),
  };
}

function split(kept: string | undefined): [index: number | undefined, id: string | undefined] {
  const [, index, id] = /^(\d+):(.*)$/s.exec(kept ?? '') ?? [];
  return [index === undefined ? undefined : Number(index), id];
}

function asModelError(thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown;
  return new ModelError('Model.Failed', errorText(thrown), { retryable: false });
}

function isDown(error: ModelError): boolean {
  if (!DOWN.includes(error.type)) return false;
  return error.type !== 'Model.RateLimited' || (error.retryAfterMs ?? Infinity) > SHORT_WAIT_MS;
}

/** As the first one's fault; tried again as soon as one of them may be asked. */
function allFailed(failures: readonly ModelError[]): ModelError {
  const [first, ...others] = failures;
  if (first === undefined) throw new TypeError('fallback([...]) needs one model at least.');
  if (others.length === 0) return first;
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const bounds = failures.flatMap(({ maxAttempts }) => maxAttempts ?? []);
  const list = failures.map(({ type, message }) => `${type}: ${message}`).join(' ');
  return new ModelError(first.type, `None of the ${failures.length} models answered. ${list}`, {
    retryable: failures.some(({ retryable }) => retryable),
    // Of the others it was told when they were passed over.
    usage: failures.at(-1)?.usage,
    ...(waits.length === failures.length && { retryAfterMs: Math.min(...waits) }),
    ...(bounds.length === failures.length && { maxAttempts: Math.max(...bounds) }),
  });
}
