import { Injectable, NotFoundException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { MessagingError } from '../model/codes.js';
import { readArguments } from './args/read-body.js';
import type { RpcRequest } from './contract.js';
import { bearer, Credentials } from './credentials.js';
import { MethodRegistry } from './method-registry.js';
import { rpcHeaders } from './rpc-edge.js';

/** Step 2 of A.5: reads the call, finds its credential and who is behind it. */
@Injectable()
export class IdentityGuard implements CanActivate {
  constructor(
    private readonly methods: MethodRegistry,
    private readonly credentials: Credentials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RpcRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (request.method !== 'POST' && request.method !== 'GET') throw new NotFoundException();
    const method = this.methods.of(context.getHandler());
    rpcHeaders(request, reply);
    if (method.accepted !== '') void reply.header('X-Accepted-OAuth-Scopes', method.accepted);

    const { url } = request.raw;
    const start = url === undefined ? -1 : url.indexOf('?');
    const reading = readArguments({
      method: request.method,
      contentType: request.headers['content-type'],
      body: request.body as Buffer | undefined,
      query: start === -1 ? '' : (url as string).slice(start + 1),
    });
    const read = reading instanceof Promise ? await reading : reading;
    const token = bearer(request.headers.authorization) ?? read.token;
    if (token === undefined) throw new MessagingError('not_authed');
    const { identity, conversation } = await this.credentials.identify(token, read.args);
    if (identity.app) void reply.header('X-OAuth-Scopes', identity.scopes.join(','));

    const channel = read.args['channel'];
    request.rpc = {
      args: read.args,
      bodyError: read.error,
      caller: {
        ...identity,
        rule: method.rule,
        named:
          typeof channel === 'string' && /^[CDG]0[0-9A-Z]{9}$/.test(channel)
            ? { id: channel, conversation }
            : undefined,
      },
    };
    return true;
  }
}
