import { BadRequestException, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Sessions } from '../../auth/sessions.js';
import { RestError } from '../../kernel/http/http-error.js';
import { ownCallHeader } from '../../kernel/http/own-calls.js';
import { newRequestId } from '../../kernel/ids/ids.js';
import { isObject } from '../../kernel/matchers/matcher.js';
import { AppCalls } from '../../tenants/app-calls.js';
import type { SandboxCall } from '../access/sandbox-access.js';
import { actorOf, Sandboxes } from '../sandboxes/sandboxes.service.js';
import type { Entry } from './entry.js';
import type { ReplayAs, ReplayBody } from './replay.dto.js';

/** The answer to a call that was made again. */
export interface Replayed {
  /** Null: a fault took the answer away. */
  readonly status: number | null;
  readonly answer: unknown;
  /** By which its entry is found. */
  readonly request_id: string | null;
}

/** Makes a recorded call once more, as it was or changed, through all checks of a call from outside. */
@Injectable()
export class Replays {
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly sessions: Sessions,
    private readonly apps: AppCalls,
    private readonly http: HttpAdapterHost,
  ) {}

  /**
   * @throws RestError 409 not_replayable, args_cut, no_token; 403 and 404 as of act-as, 404 app_not_found
   */
  async replay(call: SandboxCall, entry: Entry, body: ReplayBody): Promise<Replayed> {
    const { product, method } = entry;
    // what is no call cannot be made once more
    urlOf(entry.kind === 'call' ? { product, method } : {});
    const args = body.args ?? argsOf(entry);
    const as = body.as ?? callerOf(entry);
    return this.perform(call, { product, method, args, as });
  }

  /**
   * Makes a call as an app or a person.
   * @param requestId by which all that it causes is known
   * @throws as `replay`
   */
  async perform(
    call: SandboxCall,
    { product, method, args, as }: { product: unknown; method: unknown; args: object; as: ReplayAs },
    requestId = newRequestId(),
  ): Promise<Replayed> {
    const url = urlOf({ product, method });
    if (as.app === undefined && as.user === undefined) throw new BadRequestException(['as must name an app or a user']);
    // an app's user token would get more than its scopes
    if (call.caller.person?.kind === 'user') throw new RestError(403, 'not_allowed_token_type');
    if (as.app !== undefined) {
      if (product === 'tracker') throw new BadRequestException(['as must name a user: apps do not call there']);
      const userId = as.user === undefined ? undefined : (await this.sandboxes.personFor(call, as.user)).id;
      const { workspaceId } = call.sandbox;
      return this.apps.as(
        { workspaceId, app: as.app, userId, actedBy: actorOf(call.caller), client: 'replay' },
        (token) => this.send(url, args, token, requestId),
      );
    }
    const { person, sid, token } = await this.sandboxes.signInAs(call, as.user as string, { client: 'replay' });
    try {
      return await this.send(url, args, token, requestId);
    } finally {
      await this.sessions.end(person.id, sid);
    }
  }

  private async send(url: string, args: object, token: string, requestId: string): Promise<Replayed> {
    const fastify = this.http.httpAdapter.getInstance() as FastifyInstance;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json; charset=utf-8',
      ...ownCallHeader(requestId),
    };
    const response = await fastify
      .inject({ method: 'POST', url, headers, payload: JSON.stringify(args) })
      // a fault may close the connection
      .catch(() => undefined);
    if (!response) return { status: null, answer: null, request_id: null };
    const id = response.headers['x-request-id'];
    return { status: response.statusCode, answer: readAnswer(response.payload), request_id: id?.toString() ?? null };
  }
}

/** Where the call went: a method of the Web API or the tracker's one address. */
function urlOf({ product, method }: { readonly product?: unknown; readonly method?: unknown }): string {
  if (typeof method === 'string' && !/\s|^webhooks\./.test(method)) {
    if (product === 'tracker') return '/graphql';
    if (/^[A-Za-z]+(\.[A-Za-z0-9]+)+$/.test(method)) return `/api/${method}`;
  }
  throw new RestError(409, 'not_replayable');
}

/** What was sent, without its credential. */
function argsOf({ args }: Entry): object {
  if (!isObject(args)) throw new RestError(409, 'args_cut');
  const { token: _token, ...rest } = args;
  return rest;
}

/** Who called, in the words of `as`. */
function callerOf({ caller }: Entry): ReplayAs {
  const { kind, app_id: app, user_id: user } = (isObject(caller) ? caller : {}) as Record<string, string | undefined>;
  if (kind === 'bot' && app) return { app };
  if (kind === 'user' && app && user) return { app, user };
  if ((kind === 'jwt' || kind === 'api_key') && user) return { user };
  throw new RestError(409, 'not_replayable');
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
