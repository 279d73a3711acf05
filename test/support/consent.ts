import type { TestApp } from './app.js';

/** An answer of a page or a form, whose redirects are not followed. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** A browser: it keeps cookies, reads forms and follows nothing by itself. */
export class TestBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly app: Pick<TestApp, 'baseUrl'>) {}

  async get(url: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send(url, { headers: { accept: 'text/html', ...headers } });
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send(`${this.app.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
  }

  private async send(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<PageAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...init.headers },
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (name !== undefined && value !== undefined) this.cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, html: await response.text() };
  }
}

export const ticketOf = ({ html }: PageAnswer): string => /name="ticket" value="([^"]*)"/.exec(html)?.[1] ?? '';
export const errorOf = ({ html }: PageAnswer): string => /<code id="error">([^<]*)</.exec(html)?.[1] ?? '';

/** The ids that a page offers for a field. */
export function offered({ html }: PageAnswer, name: string): string[] {
  const list = new RegExp(`<select id="${name}"[^>]*>(.*?)</select>`, 's').exec(html)?.[1] ?? '';
  return [...list.matchAll(/<option value="([^"]*)"/g)].map((match) => match[1] ?? '');
}

export const locationOf = ({ headers }: PageAnswer): URL => new URL(headers.get('location') ?? 'none:');

/** Opens an authorize URL and decides; answers where the browser is sent. */
export async function consent(
  app: Pick<TestApp, 'baseUrl'>,
  url: string,
  fields: { user: string; channel?: string; decision?: 'allow' | 'deny' },
): Promise<URL> {
  const browser = new TestBrowser(app);
  const page = await browser.get(url);
  if (page.status !== 200) throw new Error(`${page.status} ${errorOf(page)} ${page.html.slice(0, 200)}`);
  const decided = await browser.post('/oauth/consent', { decision: 'allow', ticket: ticketOf(page), ...fields });
  if (decided.status !== 302) throw new Error(`${decided.status} ${errorOf(decided)}`);
  return locationOf(decided);
}
