import { LinearClient } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/ids/ids.js';
import { TrackerFile } from '../../src/tracker/files/file.entity.js';
import { useApp } from '../support/app.js';
import { receiver } from '../support/receiver.js';
import { changeRows } from '../support/rows.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import type { TrackerCaller } from '../support/tracker.js';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

// docs/reference/tracker.md#files
describe('files of an organization', () => {
  const app = useApp();

  const place = async (caller: TrackerCaller, filename = 'notes.txt', contentType = 'text/plain', size = 5) =>
    (await caller.client().fileUpload(contentType, filename, size)).uploadFile!;
  const put = (url: string, body: string, type = 'text/plain') =>
    fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: new TextEncoder().encode(body) });
  const get = (url: string, authorization?: string) => fetch(url, authorization ? { headers: { authorization } } : {});

  it('are uploaded without a credential and read with one of the organization', async () => {
    const org = await app.organization();
    const metaData = { from: 'test' };
    const file = (await org.client().fileUpload('text/plain', 'my notes.txt', 5, { metaData })).uploadFile!;
    expect(file).toMatchObject({ contentType: 'text/plain', filename: 'my notes.txt', size: 5, metaData });
    expect(file.uploadUrl).toMatch(new RegExp(`^${app.baseUrl}/uploads/put/[A-Za-z0-9]{43}$`));
    expect(file.assetUrl).toMatch(new RegExp(`^${app.baseUrl}/uploads/${org.id}/${UUID}/my%20notes\\.txt$`));
    expect((await get(file.assetUrl, org.apiKey)).status).toBe(404);
    const headers = Object.fromEntries(file.headers.map(({ key, value }) => [key, value]));
    const body = new TextEncoder().encode('hello');
    const sent = await fetch(file.uploadUrl, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': 'text/plain' },
      body,
    });
    expect(sent.status).toBe(200);
    expect((await put(file.uploadUrl, 'hello')).status).toBe(404);
    for (const credential of [org.apiKey, `Bearer ${await org.accessToken()}`]) {
      const answer = await get(file.assetUrl, credential);
      expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
      expect(answer.headers.get('content-type')).toBe('text/plain');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /);
    }
    for (const none of [undefined, 'svc_api_unknown', `Bearer ${org.apiKey}`]) {
      expect((await get(file.assetUrl, none)).status).toBe(401);
    }
    const other = await app.organization();
    expect((await get(file.assetUrl, other.apiKey)).status).toBe(404);
    expect((await get(file.assetUrl.replace(org.id, other.id), other.apiKey)).status).toBe(404);
  });

  it('that are public are for anybody, and images are shown', async () => {
    const org = await app.organization();
    const file = (await org.client().fileUpload('image/png', 'a.png', 5, { makePublic: true })).uploadFile!;
    expect((await get(file.assetUrl)).status).toBe(404);
    expect((await put(file.uploadUrl, 'hello', 'image/png')).status).toBe(200);
    const answer = await get(file.assetUrl);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'image/png',
      'hello',
    ]);
    expect(answer.headers.get('content-disposition')).toMatch(/^inline; /);
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox;/);
  });

  it('are refused with another type or size, at an unknown address, and after a minute', async () => {
    const org = await app.organization();
    const { uploadUrl } = await place(org);
    const answers = [
      await put(uploadUrl, 'hello', 'text/html'),
      await put(uploadUrl, 'hell'),
      await put(uploadUrl, 'hello!'),
      await put(`${app.baseUrl}/uploads/put/${'x'.repeat(43)}`, 'hello'),
    ];
    const said = await Promise.all(
      answers.map(async (one) => [one.status, ((await one.json()) as { message: string }).message]),
    );
    expect(said).toEqual([
      [400, 'content_type_mismatch'],
      [400, 'size_mismatch'],
      [413, 'payload_too_large'],
      [404, 'upload_not_found'],
    ]);
    const uploadHash = sha256Hex(uploadUrl.split('/').at(-1)!);
    await changeRows(app.store, TrackerFile, { uploadHash }, { uploadUntil: new Date(Date.now() - 1) });
    expect((await put(uploadUrl, 'hello')).status).toBe(410);
  });

  it('have a size, a media type and a name', async () => {
    const org = await app.organization();
    const upload = (args: string) => org.error(`mutation { fileUpload(${args}) { success } }`);
    const faults: [string, string][] = [
      ['contentType: "text/plain", filename: "a", size: 0', 'size must not be less than 1'],
      ['contentType: "text/plain", filename: "a", size: 10485761', 'size must not be greater than 10485760'],
      ['contentType: "text", filename: "a", size: 1', 'contentType must be a media type'],
      ['contentType: "text/plain", filename: "..", size: 1', 'filename must be the name of a file'],
      ['contentType: "text/plain", filename: "a/b", size: 1', 'filename must be the name of a file'],
    ];
    for (const [args, message] of faults) {
      const error = await upload(args);
      expect(error.extensions).toMatchObject({ code: 'INVALID_INPUT', userPresentableMessage: `${message}.` });
    }
  });

  it('are made of images of other servers, and of nothing else', async () => {
    const org = await app.organization();
    const picture = Buffer.from('GIF89a and so on');
    const server = await receiver(({ path }, reply) => {
      if (path === '/moved') return void reply.writeHead(302, { location: '/a%20b.gif' }).end();
      const type = path === '/text' ? 'text/html' : 'image/gif';
      reply.writeHead(path === '/lost.gif' ? 404 : 200, { 'content-type': type });
      reply.end(path === '/large.gif' ? Buffer.alloc(10 * 1024 * 1024 + 1) : picture);
    });
    const at = (path: string): string => new URL(path, server.url).href;
    for (const path of ['/a%20b.gif', '/moved']) {
      const { url } = await org.client().imageUploadFromUrl(at(path));
      const answer = await get(url!, org.apiKey);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/gif']);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture);
      expect((await get(url!)).status).toBe(401);
    }
    const refused = [
      at('/text'),
      at('/lost.gif'),
      at('/large.gif'),
      'http://169.254.169.254/a.gif',
      'ftp://a.example/',
      'a',
    ];
    for (const url of refused) {
      const error = await org.error('mutation ($url: String!) { imageUploadFromUrl(url: $url) { url } }', { url });
      expect(error.message, url).toBe('image could not be loaded');
    }
  });

  it('are in snapshots: a reset keeps them, a copy has them under addresses of its own', async () => {
    const { ctl, body } = await makeSandbox(app, { users: ['alice'], tracker: { teams: [{ key: 'ENG' }] } });
    const clientOf = (apiKey: string) => new LinearClient({ apiKey, apiUrl: `${app.baseUrl}/graphql` });
    const key: string = body.credentials.api_key;
    const client = clientOf(key);
    const file = (await client.fileUpload('text/plain', 'a.txt', 5)).uploadFile!;
    expect((await put(file.uploadUrl, 'hello')).status).toBe(200);
    const team = (await client.teams()).nodes[0]!;
    await client.createIssue({ teamId: team.id, title: 'See', description: `See ${file.assetUrl}` });
    const taken = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'ready' });
    expect(taken.status).toBe(201);
    const copied = await send(app, 'POST', '/api/sandboxes', ctl, { from: taken.body.id });
    expect(copied.status, JSON.stringify(copied.body)).toBe(201);
    const ofCopy: string = copied.body.credentials.api_key;
    const { description } = (await clientOf(ofCopy).issues()).nodes[0]!;
    const address = description!.replace('See ', '');
    expect(address).not.toBe(file.assetUrl);
    expect(await (await get(address, ofCopy)).text()).toBe('hello');
    expect((await get(address, key)).status).toBe(404);
    const reset = await send(app, 'POST', '/api/sandboxes/self/reset', ctl, { to: 'ready' });
    expect(reset.status, JSON.stringify(reset.body)).toBe(200);
    expect(await (await get(file.assetUrl, key)).text()).toBe('hello');
  });
});
