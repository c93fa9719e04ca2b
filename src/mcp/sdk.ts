/** The MCP SDK, loaded when a server is first needed: a worker without one does not wait for it. */
export type McpSdk = Awaited<ReturnType<typeof load>>;

let loaded: ReturnType<typeof load> | undefined;

export async function mcpSdk(): Promise<McpSdk> {
  loaded ??= load();
  return await loaded;
}

async function load() {
  const [{ Client }, http, stdio, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/shared/stdio.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { Client, ...http, ...stdio, ...types };
}

export type SdkClient = InstanceType<McpSdk['Client']>;
export type RequestOptions = NonNullable<Parameters<SdkClient['request']>[2]>;
