import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelResponse,
  type Resume,
} from '../shared/model-port.js';

/** What says that a provider is down, rather than that the request is wrong. */
const DOWN = [
  'Model.Connection',
  'Model.Overloaded',
  'Model.Unavailable',
  'Model.Timeout',
  'Model.StreamCut',
  'Model.RateLimited',
];
/** A provider that asks for less is waited for. */
const SHORT_WAIT_MS = 5_000;
/** A provider that was down is asked last for so long, where it didn't say itself. */
const REST_MS = 30_000;

type Member = { model: Model; index: number; restsUntil: number };

/**
 * Models in order: each call goes to the first that is not down. The reply's `model` says which one answered. One that
 * was down is asked last for a while. Text that was streamed can't be taken back within a try, so a model that fails
 * after its first text fails the try, and the next try goes to the next model. A turn that names a model itself gets
 * that name from the first one only: the others go by their own.
 */
export function fallback(models: readonly [Model, ...Model[]]): Model {
  const [first] = models;
  const members = models.map((model, index): Member => ({ model, index, restsUntil: 0 }));

  async function call(request: ModelRequest, context: ModelContext): Promise<ModelResponse> {
    const failures: ModelError[] = [];
    for (const member of inOrder(members, context.resume)) {
      const passedOver = failures.at(-1);
      if (passedOver) context.onSpent?.(passedOver.usage);
      let streamed = false;
      const onText = (text: string) => {
        streamed = true;
        context.onText(text);
      };
      const model = member.index === 0 ? request.model : member.model.name;
      const { resume, ...rest } = context;
      try {
        return await member.model.call(
          { ...request, model },
          { ...rest, onText, ...(resume && { resume: resumeOf(resume, member) }) },
        );
      } catch (error) {
        if (context.signal.aborted || !(error instanceof ModelError) || !isDown(error)) throw error;
        member.restsUntil = Date.now() + (error.retryAfterMs ?? REST_MS);
        if (streamed) throw error;
        failures.push(error);
      }
    }
    throw allFailed(failures);
  }

  return {
    get name() {
      return first.name;
    },
    call,
    async prepare() {
      await Promise.all(models.map((model) => model.prepare?.()));
    },
  };
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
  const list = failures.map(({ type, message }) => `${type}: ${message}`).join(' ');
  return new ModelError(first.type, `None of the ${failures.length} models answered. ${list}`, {
    retryable: true,
    // Of the others it was told when they were passed over.
    usage: failures.at(-1)?.usage,
    ...(waits.length === failures.length && { retryAfterMs: Math.min(...waits) }),
  });
}
