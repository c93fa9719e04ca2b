/** More of an error's body is not read, nor for longer: a server may go on for ever. */
const MAX_ERROR_BYTES = 1_000_000;
const MAX_ERROR_MS = 10_000;

/** Where Node's fetch, and undici's `setGlobalDispatcher`, keep what all requests go through; the first from Node 26. */
const KEPT_AT = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')];

type Dispatcher = { dispatch(options: object, handler: unknown): boolean };

/**
 * Node's own fetch gives up an answer whose headers, or whose next bytes, take five minutes. How long a model may take
 * is for the timeouts of `openai()` to say. Whatever sends the process's other requests sends these, too: its
 * connections, and a proxy that was set.
 */
const dispatcher: Dispatcher = {
  dispatch(options, handler) {
    const at = KEPT_AT.find((symbol) => symbol in globalThis);
    if (at === undefined) throw new Error("Node's fetch has no dispatcher");
    const kept = Reflect.get(globalThis, at) as Dispatcher;
    return kept.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

/** fetch without timeouts of its own, that reads of an error no more than a person would. */
export async function patientFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, dispatcher } as RequestInit);
  // A Response can't be made with a status above 599, which servers can.
  if (response.ok || response.body === null || response.status > 599) return response;
  const { status, statusText, headers } = response;
  return new Response(ReadableStream.from(firstBytes(response.body)), { status, statusText, headers });
}

async function* firstBytes(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), MAX_ERROR_MS);
  let bytes = 0;
  try {
    while (bytes < MAX_ERROR_BYTES) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value.subarray(0, MAX_ERROR_BYTES - bytes);
      bytes += value.length;
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
}
