import type { TestApp } from './app.js';

/** An answer of the control plane. */
export interface Answer {
  status: number;
  headers: Headers;
  // specs read nested fields freely
  // oxlint-disable-next-line no-explicit-any
  body: any;
}

const ADMIN = { 'x-admin-token': 'operator-of-the-tests' };

/** A sandbox created for one test by provisioning, with its journal on. */
export class TestSandbox {
  private constructor(
    private readonly app: TestApp,
    readonly bot: Record<string, string>,
    readonly person: Record<string, string>,
    readonly key: Record<string, string>,
    // oxlint-disable-next-line no-explicit-any
    readonly made: any,
  ) {}

  static async make(app: TestApp, document: object = {}): Promise<TestSandbox> {
    const response = await fetch(`${app.baseUrl}/api/admin/provision`, {
      method: 'POST',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      body: JSON.stringify({
        team: { name: 'Sandbox' },
        users: [{ name: 'alice' }],
        channels: [{ name: 'war-room', members: ['alice'] }],
        ...document,
      }),
    });
    // oxlint-disable-next-line no-explicit-any
    const made = (await response.json()) as any;
    if (response.status !== 201) throw new Error(JSON.stringify(made));
    const sandbox = new TestSandbox(
      app,
      { authorization: `Bearer ${made.bot_token}` },
      { authorization: `Bearer ${made.user_token}` },
      { authorization: String(made.api_key ?? made.tracker?.api_key ?? '') },
      made,
    );
    const patched = await sandbox.control('PATCH', '', { journal: true });
    if (patched.status !== 200) throw new Error(JSON.stringify(patched.body));
    return sandbox;
  }

  /** Calls a route of the sandbox, as its admin. */
  control(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(method, `/api/sandboxes/self${path}`, this.person, body);
  }

  /** Calls a method of the Web API, by default as the bot. */
  call(name: string, args: object, as = this.bot): Promise<Answer> {
    return this.send('POST', `/api/${name}`, as, args);
  }

  graphql(query: string, variables: object = {}): Promise<Answer> {
    return this.send('POST', '/graphql', this.key, { query, variables });
  }

  async send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.app.baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    let read: unknown = text;
    try {
      read = JSON.parse(text);
    } catch {
      // shown as it is
    }
    return { status: response.status, headers: response.headers, body: read };
  }
}
