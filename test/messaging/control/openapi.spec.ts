import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';

describe('/api/docs', () => {
  const app = useApp();

  it('describes every route of the control plane, bodies included, and no method of the Web API', async () => {
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
    expect(routes.filter((route) => route.includes('.'))).toEqual([]);
    const { SignupBody } = components.schemas;
    expect(SignupBody?.required).toEqual(['email', 'password']);
    expect(SignupBody?.properties['password']).toMatchObject({ type: 'string', minLength: 8, maxLength: 72 });
  });

  it('has a page for people', async () => {
    const page = await fetch(`${app.baseUrl}/api/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const assets = [...(await page.text()).matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(
      ([, path]) => path as string,
    );
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) {
      expect((await fetch(new URL(path, `${app.baseUrl}/api/docs/`))).status, path).toBe(200);
    }
  });
});
