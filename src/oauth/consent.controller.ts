import {
  Body,
  Catch,
  Controller,
  Get,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CountsAs } from '../auth/auth-throttler.guard.js';
import { ConsentError } from './consent-error.js';
import { ConsentPages, type ConsentFields } from './consent-pages.js';

/** Refusals of routes that people look at. */
@Injectable()
@Catch(ConsentError)
export class ConsentErrors implements ExceptionFilter<ConsentError> {
  constructor(private readonly pages: ConsentPages) {}

  async catch(error: ConsentError, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    await this.pages.refuse(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), error);
  }
}

/** The forms of the consent page, for both products. */
@ApiExcludeController()
@Controller('oauth')
@UseFilters(ConsentErrors)
export class ConsentController {
  constructor(private readonly pages: ConsentPages) {}

  @Get('consent')
  again(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query('ticket') ticket: unknown): Promise<void> {
    return this.pages.again(request, reply, ticket);
  }

  @Post('consent')
  async decide(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() fields: ConsentFields,
  ): Promise<void> {
    await this.pages.decide(request, reply, fields);
  }

  @Post('sign-in')
  @CountsAs('login')
  signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() fields: ConsentFields): Promise<void> {
    return this.pages.signIn(request, reply, fields);
  }
}
