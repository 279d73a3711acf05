import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Log } from '../../kernel/log/log.js';

/** The chat tools over Streamable HTTP (docs/reference/mcp.md#chat-tools). */
@Controller('mcp/chat')
export class ChatMcpController {
  constructor(private readonly log: Log) {}

  @Post()
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // loaded by the first call: a start need not wait for what few servers use
    const [{ answerMcp }, { chatTools }] = await Promise.all([
      import('../../kernel/mcp/http.js'),
      import('./chat-tools.js'),
    ]);
    await answerMcp(chatTools, { request, reply, log: this.log });
  }
}
