import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { VERSION } from '../config/version.js';
import type { ApiClient } from './api-client.js';
import { Refusal } from './refusal.js';

/**
 * A tool of a tool server. What `call` answers is cut down to `output`, and the text is made of what is left: so both
 * say the same.
 */
export interface Tool<Api, Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** With the descriptions of the arguments all that a model knows about the tool. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** @throws Refusal */
  call(api: Api, args: z.output<Input>): Promise<unknown>;
  text(data: z.output<Output>): string;
}

/** Checks a tool against its own schemas, which a list of tools of all kinds cannot. */
export const toolFor =
  <Api>() =>
  <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Api, Input, Output>): Tool<Api> =>
    tool as unknown as Tool<Api>;

export interface ToolSet<Api> {
  readonly name: string;
  readonly title: string;
  readonly instructions: string;
  readonly tools: readonly Tool<Api>[];
  /** The API as seen by the owner of this credential: what a person was given, or an Authorization header. */
  connect(client: ApiClient, credential: string | undefined): Api;
  /** @throws Refusal when the credential is not good for a call */
  check(api: Api): Promise<void>;
}

/** A tool reads and changes nothing. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** A tool adds something, each time anew. */
export const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
/** A tool adds something, once. */
export const ENSURES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** A tool replaces what was there before. */
export const REPLACES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** A server of these tools, acting as `credential`. `onBug` gets errors that are no refusals. */
export function createToolServer<Api>(
  set: ToolSet<Api>,
  client: ApiClient,
  credential: string | undefined,
  onBug: (error: unknown, tool: string) => void,
): McpServer {
  const api = set.connect(client, credential);
  const server = new McpServer(
    { name: set.name, title: set.title, version: VERSION },
    { instructions: set.instructions },
  );
  for (const tool of set.tools) {
    const { name, title, description, input: inputSchema, output: outputSchema, annotations } = tool;
    server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, async (args) => {
      try {
        const data = tool.output.parse(await tool.call(api, args));
        return { content: [{ type: 'text', text: tool.text(data) }], structuredContent: data };
      } catch (error) {
        return refusalResult(error, (bug) => onBug(bug, name));
      }
    });
  }
  return server;
}

function refusalResult(error: unknown, onBug: (error: unknown) => void): CallToolResult {
  if (!(error instanceof Refusal)) onBug(error);
  const text =
    error instanceof Refusal ? error.message : 'internal_error: the tool failed unexpectedly; it was logged.';
  return { content: [{ type: 'text', text }], isError: true };
}
