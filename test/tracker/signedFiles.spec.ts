import { LinearClient } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { application, authorize, byClient } from '../support/oauth-application.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { callRest } from '../support/rest-call.js';
import { postGraphql, type TrackerCaller } from '../support/tracker.js';

const HEADER = 'public-file-urls-expire-in';

// docs/reference/tracker.md#files
describe('addresses of files with a signature', () => {
  const app = useApp();

  const get = async (url: string, authorization?: string): Promise<[number, string]> => {
    const answer = await fetch(url, authorization === undefined ? {} : { headers: { authorization } });
    return [answer.status, await answer.text()];
  };
  const clientFor = (apiKey: string, seconds: number | string) =>
    new LinearClient({ apiKey, apiUrl: `${app.baseUrl}/graphql`, headers: { [HEADER]: String(seconds) } });
  const upload = async (client: LinearClient, filename: string, text: string): Promise<string> => {
    const { uploadUrl, assetUrl } = (await client.fileUpload('text/plain', filename, text.length)).uploadFile!;
    // a sandbox with the vendor's addresses is here all the same
    const here = uploadUrl.replace('https://uploads.linear.app', `${app.baseUrl}/uploads`);
    const sent = await fetch(here, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: new TextEncoder().encode(text),
    });
    expect(sent.status).toBe(200);
    return assetUrl;
  };
  /** The description of an issue, as a client of this header reads it. */
  const shown = async (org: TrackerCaller, description: string, seconds: number): Promise<string> => {
    const issue = (await org.client().createIssue({ teamId: org.organization.team.id, title: 'See', description }))
      .issueId!;
    return (await clientFor(org.apiKey, seconds).issue(issue)).description!;
  };
  const addressIn = (text: string): string => /https?:\S+?\?signature=[0-9a-f]+/.exec(text)![0];

  it('are in every text of an answer whose request asks for them, and open without a credential', async () => {
    const org = await app.organization();
    const [a, b] = [await upload(org.client(), 'a (1).txt', 'hello'), await upload(org.client(), 'b.txt', 'world')];
    expect(a).toMatch(/\/a%20%281%29\.txt$/);
    const signature = '\\?signature=[0-9a-f]+';
    const literal = (url: string) => url.replace(/[.?]/g, '\\$&');
    const text = await shown(org, `![a](${a}) and ${b}. Twice: ${a}`, 60);
    const [inA, inB] = [literal(a) + signature, literal(b) + signature];
    expect(text).toMatch(new RegExp(`^!\\[a\\]\\(${inA}\\) and ${inB}\\. Twice: ${inA}$`));
    expect(await get(addressIn(text))).toEqual([200, 'hello']);
    expect(await get(addressIn(text.slice(text.indexOf(' and '))))).toEqual([200, 'world']);
    // a file that is announced, in a link, and in JSON within the answer
    const client = clientFor(org.apiKey, 60);
    expect((await client.fileUpload('text/plain', 'c.txt', 5)).uploadFile!.assetUrl).toMatch(/\?signature=/);
    const issueId = (await client.createIssue({ teamId: org.team.id, title: 'Linked' })).issueId!;
    const linked = await client.createAttachment({ issueId, url: b, title: 'B', metadata: { at: b } });
    const { url, metadata } = (await linked.attachment)!;
    expect(await get(url)).toEqual([200, 'world']);
    expect(metadata['at']).toBe(url);
    // what is stored has none
    expect((await org.client().attachmentsForURL(b)).nodes).toHaveLength(1);
  });

  it('are for one file and one time', async () => {
    const org = await app.organization();
    const [a, b] = [await upload(org.client(), 'a.txt', 'hello'), await upload(org.client(), 'b.txt', 'world')];
    app.clock.freeze();
    const signed = addressIn(await shown(org, a, 60));
    const signature = signed.split('?signature=')[1]!;
    expect((await get(`${b}?signature=${signature}`))[0]).toBe(401);
    const forged = [
      signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0'),
      signature.replace(/^.{32}/, b.split('/').at(-2)!.replaceAll('-', '')),
      `${signature.slice(0, 32)}ffffffffff${signature.slice(42)}`,
      signature.slice(2),
      '',
    ];
    for (const one of forged) expect((await get(`${a}?signature=${one}`))[0], one).toBe(401);
    // a bad signature takes nothing from a good credential, nor the other way round
    expect(await get(`${a}?signature=${forged[0]}`, org.apiKey)).toEqual([200, 'hello']);
    expect(await get(signed, 'svc_api_unknown')).toEqual([200, 'hello']);
    app.clock.advance(59_000);
    expect((await get(signed))[0]).toBe(200);
    app.clock.advance(1000);
    expect((await get(signed))[0]).toBe(401);
  });

  it('are signed anew where a signed address was stored, and nowhere else than at addresses of files', async () => {
    const org = await app.organization();
    const a = await upload(org.client(), 'a.txt', 'hello');
    const old = addressIn(await shown(org, a, 1));
    app.clock.advance(2000);
    expect((await get(old))[0]).toBe(401);
    const anew = await shown(org, `${old} ${a}?size=2 https://elsewhere.example${new URL(a).pathname}`, 60);
    const [first, ...others] = anew.split(' ');
    expect(await get(first!)).toEqual([200, 'hello']);
    expect(others).toEqual([`${a}?size=2`, `https://elsewhere.example${new URL(a).pathname}`]);
    const other = await app.organization();
    expect(await shown(other, a, 60)).toBe(a);
  });

  it('are asked for with whole seconds of a week at most, else nothing is done', async () => {
    const org = await app.organization();
    const mutation = `mutation { issueCreate(input: { teamId: "${org.team.id}", title: "Never" }) { success } }`;
    for (const seconds of ['0', '604801', '-1', '1.5', 'soon', '']) {
      const { status, body } = await postGraphql(app, JSON.stringify({ query: mutation }), {
        authorization: org.apiKey,
        [HEADER]: seconds,
      });
      const [error] = body.errors!;
      expect([status, error!.extensions['code'], error!.extensions['userPresentableMessage']], seconds).toEqual([
        200,
        'INVALID_INPUT',
        `${HEADER} must be an integer from 1 to 604800.`,
      ]);
    }
    expect((await org.client().issues()).nodes).toEqual([]);
    expect(await clientFor(org.apiKey, 604_800).viewer).toMatchObject({ id: org.owner.id });
  });

  it('are for no key of a release pipeline', async () => {
    const org = await app.organization();
    const a = await upload(org.client(), 'a.txt', 'hello');
    const { releasePipelineId } = await org.client().createReleasePipeline({ name: a.slice(0, 80) });
    const made = await callRest(app, 'POST', '/api/release-access-keys', {
      token: await org.accessToken(),
      body: { pipelineId: releasePipelineId },
    });
    const key = String(made.body['token']);
    expect((await get(a, key))[0]).toBe(401);
    await org.client().createRelease({ pipelineId: releasePipelineId!, name: 'R', version: a });
    const query = '{ latestReleaseByAccessKey { version } }';
    const headers = { authorization: key, [HEADER]: '60' };
    const { body } = await postGraphql(app, JSON.stringify({ query }), headers);
    expect(body.data.latestReleaseByAccessKey.version).toBe(a);
  });

  it('open in sandboxes with addresses and ids of their own, and are in no timeline', async () => {
    const document = {
      users: ['alice'],
      tracker: { teams: [{ key: 'ENG', issues: [{ title: 'See' }] }] },
    };
    const source = await makeSandbox(app, document);
    const client = new LinearClient({ apiKey: source.body.credentials.api_key, apiUrl: `${app.baseUrl}/graphql` });
    const asset = await upload(client, 'a.txt', 'hello');
    await client.updateIssue((await client.issues()).nodes[0]!.id, { description: asset });
    const snapshot = await send(app, 'POST', '/api/sandboxes/self/snapshots', source.ctl, {});
    const fork = await makeSandbox(app, { from: snapshot.body.id, id_space: 'own', urls: 'vendor' });
    const ofFork = clientFor(fork.body.credentials.api_key, 60);
    const inFork = (await ofFork.issues()).nodes[0]!.description!;
    expect(await get(inFork)).toEqual([200, 'hello']);
    expect((await get(inFork.split('?')[0]!))[0]).toBe(401);
    const own = await upload(ofFork, 'b.txt', 'under the name of the vendor');
    expect(own).toMatch(/^https:\/\/uploads\.linear\.app\//);
    const response = await fetch(`${app.baseUrl}${new URL(own).pathname}${new URL(own).search}`, {
      headers: { 'x-understudy-host': 'uploads.linear.app' },
    });
    expect([response.status, await response.text()]).toEqual([200, 'under the name of the vendor']);
    const signature = inFork.split('?signature=')[1]!;
    const timeline = await send(app, 'GET', '/api/sandboxes/self/timeline?bodies=true', fork.ctl);
    expect(timeline.status).toBe(200);
    expect(JSON.stringify(timeline.body)).not.toContain(signature);
  });

  it('are not needed by those who come with a token of an application', async () => {
    const org = await app.organization();
    const asset = await upload(org.client(), 'a.txt', 'hello');
    const ofPerson = await authorize(app, await application(org), org.owner.id, { scope: 'read' });
    const client = await application(org, { grantTypes: ['authorization_code', 'client_credentials'] });
    const ofApp = (await byClient(app, client, 'read')).body.access_token as string;
    for (const token of [ofPerson.access_token, ofApp]) {
      expect(await get(asset, `Bearer ${token}`)).toEqual([200, 'hello']);
      // the scheme belongs to the token
      expect((await get(asset, token))[0]).toBe(401);
    }
    const { status } = await postGraphql(app, JSON.stringify({ query: '{ viewer { id } }' }), {
      authorization: `Bearer ${ofApp}`,
      [HEADER]: '60',
    });
    expect(status).toBe(200);
    const other = await app.organization();
    const stranger = await application(other, { grantTypes: ['authorization_code', 'client_credentials'] });
    const foreign = (await byClient(app, stranger, 'read')).body.access_token as string;
    expect((await get(asset, `Bearer ${foreign}`))[0]).toBe(404);
    const ended = await fetch(`${app.baseUrl}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ofApp}` },
    });
    expect(ended.status).toBe(200);
    expect((await get(asset, `Bearer ${ofApp}`))[0]).toBe(401);
    expect((await get(asset, `Bearer lin_oauth_${'0'.repeat(64)}`))[0]).toBe(401);
  });
});
