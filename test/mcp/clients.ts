import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { fileURLToPath } from 'node:url';
import { afterEach, expect } from 'vitest';
import type { TestApp } from '../support/app.js';

export type Product = 'chat' | 'issues';

/** The result of a tool call; a refusal has no data. */
export interface ToolAnswer {
  isError: boolean;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of answers freely
  data: any;
}

/**
 * The official MCP client. It validates structured content against the output schema itself. Here each call is also
 * validated against the input schema, as a model relies on the schema to find valid arguments.
 */
export class ToolClient {
  private constructor(
    private readonly client: Client,
    readonly tools: Tool[],
    private readonly credential: string | undefined,
    private readonly errors: () => string,
  ) {}

  static async over(
    transport: 'stdio' | 'http',
    app: TestApp,
    product: Product,
    credential: string | undefined,
  ): Promise<ToolClient> {
    return transport === 'http'
      ? ToolClient.http(app, product, credential)
      : ToolClient.stdio(app, product, credential);
  }

  /** Connects over HTTP to the running server. */
  static async http(app: TestApp, product: Product, credential: string | undefined): Promise<ToolClient> {
    const headers: Record<string, string> = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    const url = new URL(`${app.baseUrl}/api/mcp/${product}`);
    return ToolClient.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers } }),
      credential,
      () => '',
    );
  }

  /** Connects over stdio to a process of the compiled command. */
  static async stdio(
    app: TestApp,
    product: Product,
    credential: string | undefined,
    apiUrl = `${app.baseUrl}/api`,
  ): Promise<ToolClient> {
    const variable = product === 'chat' ? 'SVC_MCP_TOKEN' : 'SVC_API_KEY';
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL('../../bin/understudy.mjs', import.meta.url)), 'mcp', product],
      env: { SVC_API_URL: apiUrl, ...(credential === undefined ? {} : { [variable]: credential }) },
      stderr: 'pipe',
    });
    let errors = '';
    transport.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
    return ToolClient.connect(transport, credential, () => errors);
  }

  private static async connect(
    transport: StdioClientTransport | StreamableHTTPClientTransport,
    credential: string | undefined,
    errors: () => string,
  ): Promise<ToolClient> {
    const client = new Client({ name: 'specs', version: '1.0.0' });
    open.push(client);
    await client.connect(transport);
    // over HTTP the tools are listed only for callers with a credential
    const tools = await client.listTools().then(
      (list) => list.tools,
      (error: { code?: number }) => {
        if (error.code !== 401) throw error;
        return [];
      },
    );
    return new ToolClient(client, tools, credential, errors);
  }

  /** What the process wrote to standard error. */
  get stderr(): string {
    return this.errors();
  }

  /** Calls a tool, and expects no credential in its answer. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const tool = this.tools.find((candidate) => candidate.name === name);
    expect(tool, name).toBeDefined();
    const result = await this.client.callTool({ name, arguments: args });
    const content = result.content as { type: string; text: string }[];
    expect(content.map(({ type }) => type)).toEqual(['text']);
    const answer = {
      isError: result.isError === true,
      text: (content[0] as { text: string }).text,
      data: result.structuredContent,
    };
    if (this.credential !== undefined) {
      expect(JSON.stringify(answer) + this.stderr).not.toContain(this.credential);
    }
    if (!answer.isError) admits(tool as Tool, args);
    return answer;
  }

  /** The data of a call that must succeed; its text must contain the ids in `inText`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  async data(name: string, args: Record<string, unknown> = {}, inText: readonly string[] = []): Promise<any> {
    const answer = await this.call(name, args);
    expect(answer.isError, answer.text).toBe(false);
    for (const part of inText) expect(answer.text).toContain(part);
    return answer.data;
  }

  /** The text of a call that must be refused. */
  async refusal(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const answer = await this.call(name, args);
    expect(answer.isError, answer.text).toBe(true);
    expect(answer.data).toBeUndefined();
    return answer.text;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

const open: Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

/** Expects that the call matches the tool's input schema: only known arguments, and all required ones. */
function admits({ name, inputSchema }: Tool, args: Record<string, unknown>): void {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = inputSchema as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
    additionalProperties?: boolean;
  };
  expect(additionalProperties, name).toBe(false);
  expect(Object.keys(properties), name).toEqual(expect.arrayContaining(Object.keys(args)));
  expect(Object.keys(args), name).toEqual(expect.arrayContaining(required));
}

/** Expects what a model needs to use a tool without further documentation. */
export function isDocumented(tool: Tool): void {
  expect(tool.title, tool.name).toMatch(/\S/);
  expect(tool.description?.length, tool.name).toBeGreaterThan(20);
  expect(tool.outputSchema?.type, tool.name).toBe('object');
  for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const) {
    expect(tool.annotations?.[hint], `${tool.name} ${hint}`).toEqual(expect.any(Boolean));
  }
  for (const [argument, schema] of Object.entries(tool.inputSchema.properties ?? {})) {
    expect((schema as { description?: string }).description, `${tool.name} ${argument}`).toMatch(/\S/);
  }
}
