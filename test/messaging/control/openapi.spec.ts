import { describe, expect, it } from 'vitest';
import { MessagingModule } from '../../../src/messaging/messaging.module.js';
import { methodsOfModule } from '../../../src/messaging/rpc/method-registry.js';
import { CHOICE_FIELDS } from '../../../src/messaging/wire/element-values.js';
import { useApp } from '../../support/app.js';

interface Schema {
  type?: string;
  items?: Schema;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
}

describe('/api/docs', () => {
  const app = useApp();

  it('describes every route of the control plane with its body, and no method of the Web API', async () => {
    const response = await fetch(`${app.baseUrl}/api/docs-json`);
    expect(response.status).toBe(200);
    const { paths, components } = (await response.json()) as {
      paths: Record<string, object>;
      components: { schemas: Record<string, { required?: string[]; properties: Record<string, object> }> };
    };
    const routes = Object.entries(paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb} ${path}`),
    );
    expect(routes).toEqual(
      expect.arrayContaining([
        'post /api/auth/signup',
        'post /api/auth/login',
        'post /api/auth/refresh',
        'post /api/auth/logout',
        'get /api/auth/me',
        'get /api/workspaces',
        'post /api/workspaces',
        'post /api/workspaces/{id}/join',
        'get /api/workspaces/{id}',
        'put /api/workspaces/{id}',
        'delete /api/workspaces/{id}',
        'post /api/webhooks/incoming',
        'get /api/webhooks/incoming',
        'delete /api/webhooks/incoming/{id}',
        'post /api/webhooks/incoming/{id}',
        'post /api/webhooks/outgoing',
        'get /api/webhooks/outgoing',
        'delete /api/webhooks/outgoing/{id}',
        'post /api/events/subscribe',
        'get /api/events/subscriptions',
        'delete /api/events/subscriptions/{id}',
        'get /api/commands',
        'post /api/commands',
        'delete /api/commands/{id}',
        'post /api/commands/execute',
        'post /api/interactions',
        'post /api/interactions/respond/{secret}',
        'post /api/apps',
        'get /api/apps',
        'post /api/admin/provision',
        'get /api/health',
      ]),
    );
    // the Web API has a description of its own
    const methods = new Set(methodsOfModule(MessagingModule).map(({ name }) => `/api/${name}`));
    expect(methods.size).toBeGreaterThan(27);
    expect(Object.keys(paths).filter((path) => methods.has(path))).toEqual([]);
    const { SignupBody } = components.schemas;
    expect(SignupBody?.required).toEqual(['email', 'password']);
    expect(SignupBody?.properties['password']).toMatchObject({ type: 'string', minLength: 8, maxLength: 72 });
  });

  it('describes nested bodies: users and channels of provisioning, selected options of an element', async () => {
    const { paths } = (await (await fetch(`${app.baseUrl}/api/docs-json`)).json()) as {
      paths: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>;
    };
    const body = (path: string): Record<string, Schema> =>
      paths[path]?.post.requestBody.content['application/json']?.schema.properties ?? {};
    const { users, channels } = body('/api/admin/provision');
    // a name alone, or an object
    expect(users?.items?.oneOf?.[1]?.properties).toHaveProperty('real_name');
    expect(channels?.items?.properties).toMatchObject({ members: { type: 'array', items: { type: 'string' } } });
    const action = body('/api/interactions')['actions']?.items?.properties ?? {};
    expect(action['selected_option']).toMatchObject({ type: 'object', required: ['value'] });
    expect(CHOICE_FIELDS.filter((field) => field.startsWith('selected_') && !(field in action))).toEqual([]);
  });

  it('serves a page for browsers', async () => {
    const page = await fetch(`${app.baseUrl}/api/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const assets = [...(await page.text()).matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(
      ([, path]) => path as string,
    );
    expect(assets).toHaveLength(3);
    for (const path of assets) {
      const asset = await fetch(new URL(path, page.url));
      expect(asset.status, path).toBe(200);
      expect((await asset.text()).length, path).toBeGreaterThan(50);
    }
  });

  it('serves the same page below itself, and its script in the codings that a client takes', async () => {
    const page = await fetch(`${app.baseUrl}/api/docs/`);
    const [, path = '', document = ''] = /src="([^"]+init\.js)" data-document="([^"]+)"/.exec(await page.text()) ?? [];
    expect((await fetch(new URL(document, page.url))).headers.get('content-type')).toMatch(/json/);
    expect((await fetch(new URL(path, page.url))).status).toBe(200);
    const script = new URL('/api/docs/swagger-ui-bundle.js', app.baseUrl);
    const texts: string[] = [];
    for (const coding of ['br', 'gzip', 'identity']) {
      const answer = await fetch(script, { headers: { 'accept-encoding': coding } });
      expect(answer.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      texts.push(await answer.text());
    }
    expect(texts[0]).toContain('SwaggerUIBundle');
    expect(new Set(texts).size).toBe(1);
  });
});
