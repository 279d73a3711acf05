import { describe, expect, it } from 'vitest';
import { Session } from '../../../src/auth/session.entity.js';
import { Sessions } from '../../../src/auth/sessions.js';
import { SignInLink } from '../../../src/auth/sign-in-link.entity.js';
import { SignInLinks } from '../../../src/auth/sign-in-links.js';
import { newHex } from '../../../src/kernel/ids/ids.js';
import { ResponseUrl } from '../../../src/messaging/surfaces/response-url.entity.js';
import { ResponseUrls } from '../../../src/messaging/surfaces/response-urls.js';
import { useApp } from '../../support/app.js';
import { insertRows, rowsOf } from '../../support/rows.js';

/** More rows than one statement deletes. */
const MANY = 4_500;

describe('expired rows', () => {
  const app = useApp();
  const many = <T>(row: (n: number) => T): T[] => Array.from({ length: MANY + 1 }, (_, n) => row(n));
  const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);

  it('are deleted to the last response URL, however many there are', async () => {
    const ws = await app.workspace();
    const url = { workspaceId: ws.id, appId: 'A0', conversationId: ws.general.id, userId: 'U0', expiresAt: new Date() };
    const urls = many((n) => ({ ...url, hash: newHex(64), createdAt: hoursAgo(n === 0 ? 23 : 25) }));
    await insertRows(app.store, ResponseUrl, urls);
    await app.nest.get(ResponseUrls, { strict: false }).sweep();
    expect((await rowsOf(app.store, ResponseUrl, { workspaceId: ws.id })).map(({ hash }) => hash)).toEqual([
      urls[0]?.hash,
    ]);
  });

  it('are deleted to the last sign-in link, however many there are', async () => {
    const ws = await app.workspace();
    const link = { accountId: ws.admin.id, teamId: ws.id };
    const links = many((n) => ({ ...link, keyHash: newHex(64), expiresAt: hoursAgo(n === 0 ? -1 : 1 / 60) }));
    await insertRows(app.store, SignInLink, links);
    await app.nest.get(SignInLinks, { strict: false }).sweep();
    expect((await rowsOf(app.store, SignInLink, { teamId: ws.id })).map(({ keyHash }) => keyHash)).toEqual([
      links[0]?.keyHash,
    ]);
  });

  it('are deleted to the last session, however many there are', async () => {
    const ws = await app.workspace();
    const user = await ws.user();
    const sessions = many((n) => ({ accountId: user.id, sid: newHex(16), overAt: hoursAgo(n === 0 ? 1 : 27) }));
    await insertRows(app.store, Session, sessions);
    await app.nest.get(Sessions, { strict: false }).sweep();
    expect((await rowsOf(app.store, Session, { accountId: user.id })).map(({ sid }) => sid)).toEqual([
      sessions[0]?.sid,
    ]);
  });
});
