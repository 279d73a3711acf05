import { Module } from '@nestjs/common';
import { HttpEdges } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { McpEdge } from '../../kernel/mcp/mcp-edge.js';
import { ToolServers } from '../../kernel/mcp/tool-servers.js';
import { ChatMcpController } from './mcp.controller.js';

@Module({ controllers: [ChatMcpController] })
export class ChatMcpModule {
  constructor(edges: HttpEdges, log: Log, servers: ToolServers) {
    edges.add(new McpEdge('/api/mcp/chat', log));
    servers.register('chat', async () => (await import('./chat-tools.js')).chatTools);
  }
}
