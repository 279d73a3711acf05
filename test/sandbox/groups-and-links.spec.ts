import { expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any

const app = useApp();

// docs/reference/sandboxes.md#reset
it('user groups, bookmarks and public URLs are as they were after a reset; copies have new ids and no public URLs', async () => {
  const made = await makeSandbox(app, {
    rate_limit_multiplier: 0,
    users: ['ann', 'bob'],
    channels: [{ name: 'ops', members: ['ann'] }],
  });
  const caller = (token: string) => async (method: string, args: Json) => {
    const { body } = await send(app, 'POST', `/api/${method}`, bearer(token), args);
    expect(body, `${method} ${JSON.stringify(body)}`).toMatchObject({ ok: true });
    return body as Json;
  };
  const { ann, bob } = made.body.credentials.users as Record<string, { access_token: string; user_id: string }>;
  const call = caller(ann!.access_token);
  const { channels } = await call('conversations.list', {});
  const channel = channels.find(({ name }: Json) => name === 'ops').id as string;

  const { usergroup: group } = await call('usergroups.create', { name: 'On call', handle: 'oncall' });
  await call('usergroups.users.update', { usergroup: group.id, users: ann!.user_id });
  const { bookmark } = await call('bookmarks.add', {
    channel_id: channel,
    title: 'Runbook',
    type: 'link',
    link: 'https://a.example/',
  });
  const slot = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
  expect((await fetch(slot['upload_url'] as string, { method: 'POST', body: 'hello' })).status).toBe(200);
  await call('files.completeUploadExternal', { files: [{ id: slot['file_id'] }], channel_id: channel });
  const { file } = await call('files.sharedPublicURL', { file: slot['file_id'] });
  const url = file.permalink_public as string;
  const { body: snapshot } = await send(app, 'POST', '/api/sandboxes/self/snapshots', made.ctl, { name: 'before' });
  const copied = await send(app, 'POST', '/api/sandboxes', made.ctl, { from: snapshot.id });
  expect(copied.status, JSON.stringify(copied.body)).toBe(201);

  await call('usergroups.users.update', { usergroup: group.id, users: bob!.user_id });
  await call('usergroups.disable', { usergroup: group.id });
  await call('usergroups.create', { name: 'Later', handle: 'later' });
  await call('bookmarks.remove', { channel_id: channel, bookmark_id: bookmark.id });
  await call('files.revokePublicURL', { file: slot['file_id'] });
  expect((await fetch(url)).status).toBe(404);
  const reset = await send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, { to: 'before' });
  expect(reset.status, JSON.stringify(reset.body)).toBe(200);

  const groups = { include_disabled: true, include_users: true };
  expect((await call('usergroups.list', groups))['usergroups']).toMatchObject([
    { id: group.id, handle: 'oncall', date_delete: 0, users: [ann!.user_id] },
  ]);
  expect((await call('bookmarks.list', { channel_id: channel }))['bookmarks']).toEqual([bookmark]);
  const back = await fetch(url);
  expect([back.status, await back.text()]).toEqual([200, 'hello']);

  const other = caller(copied.body.credentials.users.ann.access_token as string);
  const [copy] = (await other('usergroups.list', groups))['usergroups'];
  expect(copy).toMatchObject({
    handle: 'oncall',
    users: [copied.body.credentials.users.ann.user_id],
  });
  expect(copy.id).not.toBe(group.id);
  const rooms = (await other('conversations.list', {}))['channels'];
  const ops = rooms.find(({ name }: Json) => name === 'ops').id as string;
  const [link] = (await other('bookmarks.list', { channel_id: ops }))['bookmarks'];
  expect(link).toMatchObject({ title: 'Runbook', link: 'https://a.example/', channel_id: ops });
  expect(link.id).not.toBe(bookmark.id);
  const [attached] = (await other('files.list', { channel: ops }))['files'];
  expect(attached).toMatchObject({ name: 'a.txt', public_url_shared: false });
  expect(attached).not.toHaveProperty('permalink_public');
});
