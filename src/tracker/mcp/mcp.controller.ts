import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Log } from '../../kernel/log/log.js';

/** The issue tools over Streamable HTTP (docs/reference/mcp.md#issue-tools). */
@Controller('mcp/issues')
export class IssueMcpController {
  constructor(private readonly log: Log) {}

  @Post()
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // loaded by the first call: a start need not wait for what few servers use
    const [{ answerMcp }, { issueTools }] = await Promise.all([
      import('../../kernel/mcp/http.js'),
      import('./issue-tools.js'),
    ]);
    await answerMcp(issueTools, { request, reply, log: this.log });
  }
}
