import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { Listener } from '../../support/listener.js';
import { application, authorize, graphqlBy } from '../../support/oauth-application.js';
import type { OrganizationBuilder } from '../../support/tracker.js';
import { callRest } from '../../support/rest-call.js';

const app = useApp();

async function tokenWith(org: OrganizationBuilder, scope: string, user = org.owner.id): Promise<string> {
  return (await authorize(app, await application(org), user, { scope })).access_token;
}

const CREATE = 'mutation ($team: String!) { issueCreate(input: { teamId: $team, title: "x" }) { success } }';

/** docs/reference/tracker-oauth.md#scopes */
describe('the scopes of a token', () => {
  it('let it do what they name, and what they include', async () => {
    const org = await app.organization();
    const issue = (await (await org.client().createIssue({ teamId: org.team.id, title: 'x' })).issue)!;
    const operations: [string, string, string[]][] = [
      ['{ viewer { id } issues { nodes { id } } }', '', ['read', 'issues:create', 'write', 'admin']],
      [CREATE, 'write', ['issues:create', 'write', 'admin']],
      [
        `mutation { commentCreate(input: { issueId: "${issue.id}", body: "x" }) { success } }`,
        'write',
        ['comments:create', 'write', 'admin'],
      ],
      [`mutation { issueUpdate(id: "${issue.id}", input: { title: "y" }) { success } }`, 'write', ['write', 'admin']],
      ['mutation { userUpdate(id: "me", input: { title: "Dr" }) { success } }', 'write', ['write', 'admin']],
      ['{ webhooks { nodes { id } } }', 'admin', ['admin']],
      ['{ teams { nodes { id webhooks { nodes { id } } } } }', 'admin', ['admin']],
      ['mutation { organizationUpdate(input: { name: "x" }) { success } }', 'admin', ['admin']],
    ];
    for (const scope of ['read', 'issues:create', 'comments:create', 'write', 'admin']) {
      const token = await tokenWith(org, scope);
      for (const [query, wanted, allowed] of operations) {
        const { status, body } = await graphqlBy(app, token, query, { team: org.team.id });
        const isAllowed = allowed.includes(scope) || wanted === '';
        expect([scope, query, status, body.errors?.[0]?.message]).toEqual([
          scope,
          query,
          200,
          isAllowed ? undefined : `Invalid scope: \`${wanted}\` required`,
        ]);
      }
    }
  });

  it('are judged before anything of a document runs', async () => {
    const org = await app.organization();
    const token = await tokenWith(org, 'issues:create');
    const both = `mutation ($team: String!) {
      made: issueCreate(input: { teamId: $team, title: "x" }) { success }
      ...More
    }
    fragment More on Mutation { teams: teamCreate(input: { name: "x" }) { success } }`;
    const { status, body } = await graphqlBy(app, token, both, { team: org.team.id });
    expect([status, body.data]).toEqual([200, null]);
    expect(body.errors).toEqual([
      {
        message: 'Invalid scope: `write` required',
        path: ['teams'],
        locations: expect.any(Array),
        extensions: expect.objectContaining({ type: 'forbidden', code: 'FORBIDDEN', statusCode: 403 }),
      },
    ]);
    expect((await org.client().issues()).nodes).toEqual([]);
    const nested = await graphqlBy(app, token, '{ all: teams { nodes { hooks: webhooks { nodes { id } } } } }');
    expect(nested.body.errors?.[0]?.path).toEqual(['all', 'nodes', 'hooks']);
  });

  it('are not asked of what a directive leaves out', async () => {
    const org = await app.organization();
    const token = await tokenWith(org, 'issues:create');
    const query = `mutation ($team: String!, $yes: Boolean!, $no: Boolean = false) {
      issueCreate(input: { teamId: $team, title: "x" }) { success }
      skipped: teamCreate(input: { name: "x" }) @skip(if: $yes) { success }
      ... @include(if: $no) { teamCreate(input: { name: "x" }) { success } }
      ...More @skip(if: true)
    }
    fragment More on Mutation { teams: teamCreate(input: { name: "x" }) { success } }`;
    const run = (yes: boolean, no?: boolean) =>
      graphqlBy(app, token, query, { team: org.team.id, yes, ...(no !== undefined && { no }) });
    const { body } = await run(true);
    expect(body).toEqual({ data: { issueCreate: { success: true } } });
    expect((await run(false)).body.errors?.[0]?.path).toEqual(['skipped']);
    expect((await run(true, true)).body.errors?.[0]?.path).toEqual(['teamCreate']);
  });

  it('give nobody a role that the person does not have', async () => {
    const org = await app.organization();
    const member = await org.member();
    const token = await tokenWith(org, 'admin', member.user.id);
    const { body } = await graphqlBy(app, token, '{ webhooks { nodes { id } } }');
    expect(body.errors?.[0]).toMatchObject({ message: 'Forbidden', extensions: { code: 'FORBIDDEN' } });
    const suspended = `mutation { userUpdate(id: "${org.owner.id}", input: { title: "x" }) { success } }`;
    const writer = await tokenWith(org, 'write');
    const other = await graphqlBy(app, writer, suspended.replace(org.owner.id, member.user.id));
    expect(other.body.errors?.[0]?.message).toBe('Invalid scope: `admin` required');
  });
});

describe('an OAuth token', () => {
  it('is good as a bearer at GraphQL, and nowhere else', async () => {
    const org = await app.organization();
    const token = await tokenWith(org, 'write');
    for (const authorization of [token, `Bearer ${token}x`, `Bearer lin_oauth_${'0'.repeat(64)}`]) {
      const raw = await fetch(`${app.baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ query: '{ viewer { id } }' }),
      });
      expect(raw.status).toBe(401);
    }
    for (const path of ['/api/api-keys', '/api/oauth-applications', '/api/webhooks']) {
      const refused = await callRest(app, 'GET', path, { token });
      expect([path, refused.status, refused.body['message']]).toEqual([path, 401, 'invalid_auth']);
    }
    const tools = await fetch(`${app.baseUrl}/api/mcp/issues`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    expect(tools.status).toBe(401);
    expect(await Listener.refusal(app, { token })).toBe('invalid_auth');
    expect((await callRest(app, 'POST', '/api/auth.test', { token })).body).toEqual({
      ok: false,
      error: 'invalid_auth',
    });
  });

  it('counts on the budgets of the person it stands for', async () => {
    const org = await app.organization();
    const token = await tokenWith(org, 'write');
    const left = (headers: Headers): number => Number(headers.get('x-ratelimit-requests-remaining'));
    const before = left((await org.graphql('{ viewer { id } }')).headers);
    await graphqlBy(app, token, '{ viewer { id } }');
    expect(left((await org.graphql('{ viewer { id } }')).headers)).toBe(before - 2);
  });

  it('of an application that acts as itself counts on budgets of its own', async () => {
    const org = await app.organization();
    const client = await application(org);
    const { access_token: token } = await authorize(app, client, org.owner.id, { actor: 'app', scope: 'write' });
    const left = (headers: Headers): number => Number(headers.get('x-ratelimit-requests-remaining'));
    const ofPerson = left((await org.graphql('{ viewer { id } }')).headers);
    const ofApp = left((await graphqlBy(app, token, '{ viewer { id } }')).headers);
    expect(left((await graphqlBy(app, token, '{ viewer { id } }')).headers)).toBe(ofApp - 1);
    expect(left((await org.graphql('{ viewer { id } }')).headers)).toBe(ofPerson - 1);
  });
});
