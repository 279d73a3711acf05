import { Injectable } from '@nestjs/common';
import { outside } from '../../kernel/http/call-context.js';
import { GuardedHttp } from '../../webhooks/guarded-http.js';

/** The longest body of an app's page that is looked at. */
const MAX_BODY = 64 * 1024;

/** Cookies of an app, by host: ports do not matter to them, and those for https alone are sent to a test's http, too. */
export class CookieJar {
  private readonly byHost = new Map<string, Map<string, string>>();

  keep({ hostname }: URL, sent: string | readonly string[] | undefined): void {
    const cookies = this.byHost.get(hostname) ?? new Map<string, string>();
    for (const line of typeof sent === 'string' ? [sent] : (sent ?? [])) {
      const [, name, value = '', attributes = ''] = /^\s*([^=;\s]+)=([^;]*)(.*)$/.exec(line) ?? [];
      if (name === undefined) continue;
      if (/;\s*max-age=(?:0|-\d+)\b/i.test(attributes)) cookies.delete(name);
      else cookies.set(name, value);
    }
    this.byHost.set(hostname, cookies);
  }

  headerFor({ hostname }: URL): Record<string, string> {
    const cookies = [...(this.byHost.get(hostname) ?? [])].map(([name, value]) => `${name}=${value}`);
    return cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  }
}

/** An app's answer, or why there is none. */
export type AppPage =
  | { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: string }
  | { readonly error: 'connection_failed' | 'operation_timeout' };

/** Looks at pages of apps as a browser does, where SVC_TARGETS lets the server. */
@Injectable()
export class AppPages {
  constructor(private readonly http: GuardedHttp) {}

  /** One page; its redirect is not followed. Does not throw. */
  async get(url: URL, cookies: CookieJar, timeoutMs: number): Promise<AppPage> {
    const answer = await outside(() =>
      this.http.post({
        method: 'GET',
        url: url.href,
        headers: {
          accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
          'user-agent': 'Understudy (a browser that installs an app)',
          ...cookies.headerFor(url),
        },
        body: '',
        timeoutMs,
        peekBytes: MAX_BODY,
      }),
    );
    if (!answer.answered) {
      return { error: answer.reason === 'http_timeout' ? 'operation_timeout' : 'connection_failed' };
    }
    cookies.keep(url, answer.headers['set-cookie']);
    return { status: answer.status, headers: answer.headers, body: answer.body.toString('utf8') };
  }
}
