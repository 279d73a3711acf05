import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseJson } from '../text/json.js';
import type { Log } from '../log/log.js';
import { checkHeader } from '../http/own-calls.js';
import { InProcessApiClient, RetryingApiClient } from './api-client.js';
import { createToolServer, type ToolSet } from './tool-set.js';
import { Refusal } from './refusal.js';
import { refuseMcp } from './mcp-edge.js';

/**
 * Answers one POST of Streamable HTTP completely, in JSON, acting with the request's Authorization header unless another is given. Stateless,
 * so any replica can answer it.
 */
export async function answerMcp<Api>(
  set: ToolSet<Api>,
  {
    request,
    reply,
    log,
    authorization = request.headers.authorization,
  }: { request: FastifyRequest; reply: FastifyReply; log: Log; authorization?: string | undefined },
): Promise<void> {
  const message = parsed(request.body);
  if (message === undefined) return refuseMcp(reply, 400, -32700, 'Parse error: the body must be one JSON-RPC message');
  if (Array.isArray(message)) return refuseMcp(reply, 400, -32600, 'Invalid Request: send one message a request');

  const client = new RetryingApiClient(new InProcessApiClient(request.server as FastifyInstance));
  if ((message as { method?: unknown } | null)?.method === 'tools/list' && isJson(request)) {
    const refusal = await refusalOf(set, request.server as FastifyInstance, authorization);
    if (refusal) return refuseMcp(reply, 401, -32001, refusal.message);
  }

  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createToolServer(set, client, authorization, (error, tool) =>
    log.error('tool failed', { error, tool, requestId: request.id }),
  );
  try {
    await server.connect(transport);
    const response = await transport.handleRequest(webRequest(request), { parsedBody: message });
    void reply.code(response.status).headers(Object.fromEntries(response.headers));
    await reply.send(await response.text());
  } finally {
    await server.close();
  }
}

const isJson = ({ headers }: FastifyRequest): boolean => /^application\/json\b/i.test(headers['content-type'] ?? '');

/** Error codes of invalid credentials; after other errors, such as a rate limit, the list is shown. */
const NOT_THEIRS = new Set([
  'not_authed',
  'invalid_auth',
  'token_expired',
  'token_revoked',
  'account_inactive',
  'AUTHENTICATION_ERROR',
]);

/** Over the network the list of tools is only for callers with a valid credential. Undefined: allowed. */
async function refusalOf<Api>(
  set: ToolSet<Api>,
  fastify: FastifyInstance,
  credential: string | undefined,
): Promise<Refusal | undefined> {
  try {
    await set.check(set.connect(new InProcessApiClient(fastify, checkHeader()), credential));
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return NOT_THEIRS.has(error.code) ? error : undefined;
  }
}

function parsed(body: unknown): unknown {
  try {
    return parseJson((body as Buffer).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The part of the request that the transport reads. `accept` is set for every client, as the transport insists on both
 * types and always answers JSON.
 */
function webRequest({ headers, url }: FastifyRequest): Request {
  const forwarded: Record<string, string> = { accept: 'application/json, text/event-stream' };
  for (const name of ['content-type', 'mcp-protocol-version'] as const) {
    const value = headers[name];
    if (typeof value === 'string') forwarded[name] = value;
  }
  return new Request(new URL(url, 'http://localhost'), { method: 'POST', headers: forwarded });
}
