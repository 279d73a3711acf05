import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { VERSION } from '../config/version.js';
import type { ApiClient } from './api-client.js';
import { Refusal } from './refusal.js';

/**
 * A tool of a tool server. The result of `call` is reduced to `output`, from which the text is made, so both say the
 * same.
 */
export interface Tool<Api, Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Together with the descriptions of the arguments all that a model knows about the tool. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** @throws Refusal */
  call(api: Api, args: z.output<Input>): Promise<unknown>;
  text(data: z.output<Output>): string;
}

/** Checks a tool against its own schemas, which the type of a list of different tools cannot. */
export const toolFor =
  <Api>() =>
  <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Api, Input, Output>): Tool<Api> =>
    tool as unknown as Tool<Api>;

export interface ToolSet<Api> {
  readonly name: string;
  readonly title: string;
  readonly instructions: string;
  readonly tools: readonly Tool<Api>[];
  /** The API as the owner of this credential: configured at start, or an Authorization header. */
  connect(client: ApiClient, credential: string | undefined): Api;
  /** @throws Refusal when the credential cannot be used for a call */
  check(api: Api): Promise<void>;
}

/** A tool that reads and changes nothing. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** A tool that adds something with every call. */
export const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
/** A tool that adds something once; repeated calls change nothing. */
export const ENSURES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** A tool that replaces what was there before. */
export const REPLACES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** A server of these tools, acting with `credential`. `onBug` gets errors that are not refusals. */
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
