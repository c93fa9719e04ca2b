// An MCP server that does what servers do in the field: it dies, hangs, progresses, changes its list. What it is asked is
// written to LOG, a line each, so that a test can count effects. With PORT it speaks streamable HTTP, else stdio.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const { LOG = '/dev/null', TOOLS, BROKEN, DIE_ONCE, STUBBORN, PORT } = process.env;
const log = (line) => appendFileSync(LOG, `${line}\n`);
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const PAGE = 100;
const anything = { type: 'object' };

const ODD = 'odd blocks';
const oddBlocks = [
  { type: 'hologram', depth: 3 },
  { type: 'audio', mimeType: 'audio/wav', data: Buffer.from('RIFF').toString('base64') },
  { type: 'image', mimeType: 'image/png', data: 'not base64!' },
  { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt', mimeType: 'text/plain' },
  { type: 'resource', resource: { uri: 'file:///b.txt', text: 'the text of b' } },
];

const behaviours = {
  echo: ({ text: said }) => text(`echo ${said}`),
  pid: () => text(String(process.pid)),
  environment: () => text(JSON.stringify(process.env)),
  die: () => process.exit(7),
  die_once: () => {
    if (existsSync(DIE_ONCE)) return text('alive');
    writeFileSync(DIE_ONCE, '');
    process.exit(7);
  },
  hang: (_args, { signal }) => {
    signal.addEventListener('abort', () => log('cancelled hang'));
    return new Promise(() => undefined);
  },
  freeze: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  progress: async ({ steps, everyMs }, { _meta, sendNotification }) => {
    for (let progress = 1; progress <= steps; progress++) {
      await sleep(everyMs);
      const params = { progressToken: _meta?.progressToken, progress, total: steps, message: 'working' };
      if (_meta?.progressToken !== undefined)
        await sendNotification({ method: 'notifications/progress', params });
    }
    return text('worked');
  },
  grow: async (_args, { sendNotification }) => {
    tools.push({ name: 'grown', description: 'New.', inputSchema: anything });
    await sendNotification({ method: 'notifications/tools/list_changed' });
    return text('grown');
  },
  shrink: async (_args, { sendNotification }) => {
    tools.splice(
      tools.findIndex(({ name }) => name === 'vanishing'),
      1,
    );
    await sendNotification({ method: 'notifications/tools/list_changed' });
    return text('shrunk');
  },
  vanishing: () => text('still here'),
  grown: () => text('I am new'),
  own_code: () => {
    throw Object.assign(new Error('not signed in'), { code: -32001 });
  },
  slow_pattern: ({ word }) => text(`took ${word.length}`),
  fails: () => ({ ...text('no such customer'), isError: true }),
  // The SDK would not let it pass.
  odd_blocks: () => text(ODD),
  stale_text: () => ({ ...text('old words'), structuredContent: { b: 2, a: { d: 4, c: 3 } } }),
};

const hints = {
  die_once: { readOnlyHint: true },
  pid: { readOnlyHint: true },
  shrink: { destructiveHint: true },
};
const schemas = {
  slow_pattern: { type: 'object', properties: { word: { type: 'string', pattern: '^(a+)+$' } } },
};
const tools = TOOLS
  ? JSON.parse(readFileSync(TOOLS, 'utf8'))
  : Object.keys(behaviours)
      .filter((name) => name !== 'grown')
      .map((name) => ({
        name,
        description: `It does ${name}.`,
        inputSchema: schemas[name] ?? anything,
        annotations: hints[name],
      }));

function made() {
  const server = new Server(
    { name: 'odd', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const to = from + PAGE;
    return { tools: tools.slice(from, to), ...(to < tools.length && { nextCursor: String(to) }) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    log(`call ${params.name}`);
    const isListed = tools.some(({ name }) => name === params.name);
    if (!isListed) throw new Error(`there is no tool ${params.name}`);
    const behave = behaviours[params.name] ?? (() => text(`ran ${params.name}`));
    return await behave(params.arguments ?? {}, extra);
  });
  return server;
}

/** One session a process: a restarted one does not know the sessions of the last. */
async function serveHttp() {
  const { StreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/streamableHttp.js'
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => `session-${process.pid}` });
  await made().connect(transport);
  const http = createServer((request, response) => {
    if (process.env.TOKEN && request.headers.authorization !== `Bearer ${process.env.TOKEN}`)
      return response.writeHead(401).end();
    return transport.handleRequest(request, response);
  });
  http.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`${http.address().port}\n`));
}

if (BROKEN && existsSync(BROKEN)) {
  process.stderr.write(`bad key ${process.env.KEY}\n`);
  process.exit(3);
}
log(`started ${process.pid}`);
if (STUBBORN) {
  process.on('SIGTERM', () => log('ignored SIGTERM'));
  setInterval(() => undefined, 1000);
}
if (PORT === undefined) {
  const transport = new StdioServerTransport();
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if (message.result?.content?.[0]?.text === ODD) message.result.content = oddBlocks;
    return send(message);
  };
  await made().connect(transport);
} else await serveHttp();
