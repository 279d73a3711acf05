import { Command } from 'commander';

/** `understudy mcp chat` and `understudy mcp issues`. */
export function mcpCommand(): Command {
  const mcp = new Command('mcp')
    .description('serve tools to an MCP client on standard input and output')
    .addHelpText('after', '\nExample:\n  SVC_MCP_TOKEN=xoxb-… understudy mcp chat');
  mcp
    .command('chat')
    .description('the chat tools, as the owner of SVC_MCP_TOKEN, of the server at SVC_API_URL')
    .addHelpText('after', '\nExample:\n  SVC_MCP_TOKEN=xoxb-… understudy mcp chat')
    .action(async () => {
      const { serveChatTools } = await import('../mcp.js');
      await serveChatTools(process.env);
    });
  mcp
    .command('issues')
    .description('the issue tools, as the owner of SVC_API_KEY, of the server at SVC_API_URL')
    .addHelpText('after', '\nExample:\n  SVC_API_KEY=svc_api_… understudy mcp issues')
    .action(async () => {
      const { serveIssueTools } = await import('../mcp.js');
      await serveIssueTools(process.env);
    });
  return mcp;
}
