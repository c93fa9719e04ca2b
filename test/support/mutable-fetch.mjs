// Loaded before Portkey's gateway (1.15.2): on Node it adds headers to what fetch has answered, where they can't be
// changed, and so fails every stream of most providers with a 500.
const { fetch, Response, Headers } = globalThis;
globalThis.fetch = async (...request) => {
  const { body, status, headers } = await fetch(...request);
  return new Response(body, { status, headers: new Headers(headers) });
};
