import { seenId } from '../../kernel/clock/request-sandbox.js';
import { eachText } from '../../kernel/ids/id-space.js';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { outside } from '../../kernel/http/call-context.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';

interface Decision {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

interface OwnAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/**
 * The consent page of this server, looked at and decided on as a browser does it: with the same checks, faults, limits and
 * entries of the timeline.
 */
@Injectable()
export class OwnPages {
  constructor(
    private readonly http: HttpAdapterHost,
    private readonly publicUrl: PublicUrl,
  ) {}

  /**
   * Where the browser is sent in the end, and with which status the authorize URL answered.
   * @throws RestError 400 and others, with the code of the page; 504 operation_timeout
   */
  async decide(path: string, { headers, fields, timeoutMs }: Decision): Promise<{ location: string; status: number }> {
    const shown = await this.send('GET', path, headers, undefined, timeoutMs);
    // some refusals go back to the app at once
    const atOnce = locationOf(shown);
    if (atOnce !== undefined) return { location: atOnce, status: shown.statusCode };
    const ticket = shown.statusCode === 200 ? /name="ticket" value="([\w-]+)"/.exec(shown.body)?.[1] : undefined;
    if (ticket === undefined) throw refusalOf(shown);
    const cookie = String(shown.headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';
    // as a browser, which knows the ids of callers
    const form = new URLSearchParams({ ...eachText(fields, seenId), ticket }).toString();
    const decided = await this.send('POST', '/oauth/consent', { ...headers, cookie }, form, timeoutMs);
    const location = locationOf(decided);
    if (location === undefined) throw refusalOf(decided);
    return { location, status: shown.statusCode };
  }

  private async send(
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>>,
    payload: string | undefined,
    timeoutMs: number,
  ): Promise<OwnAnswer> {
    const server = this.http.httpAdapter.getInstance() as FastifyInstance;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, fail) => {
      timer = setTimeout(() => fail(new RestError(504, 'operation_timeout')), timeoutMs);
    });
    const answered = server.inject({
      method,
      url,
      headers: {
        host: new URL(this.publicUrl.base).host,
        accept: 'text/html',
        ...headers,
        ...(payload !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(payload !== undefined && { payload }),
    });
    try {
      return await outside(() => Promise.race([answered, late]));
    } catch (error) {
      if (error instanceof RestError) throw error;
      // a fault that drops the connection
      throw new RestError(502, 'connection_failed');
    } finally {
      clearTimeout(timer);
    }
  }
}

const locationOf = ({ statusCode, headers }: OwnAnswer): string | undefined =>
  statusCode >= 300 && statusCode < 400 && typeof headers['location'] === 'string' ? headers['location'] : undefined;

function refusalOf({ statusCode, headers, body }: OwnAnswer): RestError {
  const onPage = /<code id="error">([^<]*)</.exec(body)?.[1];
  const inJson = /"message":"([^"]*)"/.exec(body)?.[1];
  const retryAfter = Number(headers['retry-after']) || undefined;
  return new RestError(statusCode < 400 ? 502 : statusCode, onPage ?? inJson ?? 'invalid_answer', retryAfter);
}
