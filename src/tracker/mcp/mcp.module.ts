import { Module } from '@nestjs/common';
import { HttpEdges } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { McpEdge } from '../../kernel/mcp/mcp-edge.js';
import { IssueMcpController } from './mcp.controller.js';

@Module({ controllers: [IssueMcpController] })
export class IssueMcpModule {
  constructor(edges: HttpEdges, log: Log) {
    edges.add(new McpEdge('/api/mcp/issues', log));
  }
}
