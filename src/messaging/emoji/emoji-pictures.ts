import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { restErrorBody } from '../../kernel/http/http-error.js';
import { isPictured } from '../wire/emoji-pictures.js';

/** `/emoji/<unicode>.svg`: an image of each standard emoji, rendered with the reader's own font. */
@Injectable()
export class EmojiPictures implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.get<{ Params: { file: string } }>('/emoji/:file', async (request, reply) => {
      const unicode = /^([0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,12})\.svg$/.exec(request.params.file)?.[1];
      if (unicode === undefined || !isPictured(unicode)) return reply.code(404).send(restErrorBody(404, 'not_found'));
      return reply
        .headers({
          'Content-Type': 'image/svg+xml; charset=utf-8',
          'Cache-Control': 'public, max-age=86400',
          'X-Content-Type-Options': 'nosniff',
        })
        .send(picture(unicode));
    });
  }
}

function picture(unicode: string): string {
  const text = unicode
    .split('-')
    .map((point) => `&#x${point};`)
    .join('');
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">' +
    `<text x="32" y="52" font-size="52" text-anchor="middle">${text}</text></svg>`
  );
}
