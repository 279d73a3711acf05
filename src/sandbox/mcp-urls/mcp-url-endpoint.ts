import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpEdges } from '../../kernel/http/edges.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Log } from '../../kernel/log/log.js';
import { McpEdge, refuseMcp } from '../../kernel/mcp/mcp-edge.js';
import { TOOL_SERVERS, ToolServers, type ToolServerName } from '../../kernel/mcp/tool-servers.js';
import { McpUrls } from './mcp-urls.service.js';

/** `/mcp/<secret>/chat` and `/mcp/<secret>/issues`: the tool servers without a header. */
@Injectable()
export class McpUrlEndpoint implements OnModuleInit {
  private readonly edge: McpEdge;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly urls: McpUrls,
    private readonly tools: ToolServers,
    private readonly log: Log,
    edges: HttpEdges,
  ) {
    this.edge = new McpEdge(/^\/mcp\//, log);
    edges.add(this.edge);
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance() as unknown as FastifyInstance;
    for (const product of TOOL_SERVERS) {
      fastify.post(`/mcp/:secret/${product}`, async (request, reply) => {
        await this.answer(product, request, reply);
        return reply;
      });
    }
  }

  private async answer(product: ToolServerName, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { secret } = request.params as { secret: string };
    try {
      const { answerMcp } = await import('../../kernel/mcp/http.js');
      const set = await this.tools.load(product);
      await this.urls.during(secret, product, (authorization) =>
        answerMcp(set, { request, reply, log: this.log, authorization: `Bearer ${authorization}` }),
      );
    } catch (error) {
      if (error instanceof RestError && error.getStatus() === 401) {
        refuseMcp(reply, 401, -32001, 'invalid_auth: this URL is not, or no longer, known to this server');
      } else this.edge.refuse(request, reply, error);
    }
  }
}
