import type { ToolSet } from '../kernel/mcp/tool-set.js';
import { serveOnStdio } from '../kernel/mcp/stdio.js';
import { OperatorError } from './fatal-error.js';

const DEFAULT_API_URL = 'http://127.0.0.1:3000/api';

type Environment = Record<string, string | undefined>;

/** `understudy mcp chat`: SVC_API_URL and SVC_MCP_TOKEN (docs/reference/mcp.md#chat-tools). */
export async function serveChatTools(env: Environment): Promise<void> {
  const { chatTools } = await import('../messaging/mcp/chat-tools.js');
  await serve(chatTools, env, 'SVC_MCP_TOKEN');
}

/** `understudy mcp issues`: SVC_API_URL and SVC_API_KEY (docs/reference/mcp.md#issue-tools). */
export async function serveIssueTools(env: Environment): Promise<void> {
  const { issueTools } = await import('../tracker/mcp/issue-tools.js');
  await serve(issueTools, env, 'SVC_API_KEY');
}

async function serve<Api>(tools: ToolSet<Api>, env: Environment, credentialName: string): Promise<void> {
  const apiUrl = env['SVC_API_URL'] || DEFAULT_API_URL;
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol) || new URL(apiUrl).password !== '') {
    throw new OperatorError(`SVC_API_URL must be the base of the API, such as ${DEFAULT_API_URL}`);
  }
  await serveOnStdio(tools, { apiUrl, credential: env[credentialName]?.trim() || undefined, credentialName });
}
