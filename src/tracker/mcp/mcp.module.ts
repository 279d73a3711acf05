import { Module } from '@nestjs/common';
import { HttpEdges } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { McpEdge } from '../../kernel/mcp/mcp-edge.js';
import { ToolServers } from '../../kernel/mcp/tool-servers.js';
import { IssueMcpController } from './mcp.controller.js';

@Module({ controllers: [IssueMcpController] })
export class IssueMcpModule {
  constructor(edges: HttpEdges, log: Log, servers: ToolServers) {
    edges.add(new McpEdge('/api/mcp/issues', log));
    servers.register('issues', async () => (await import('./issue-tools.js')).issueTools);
  }
}
