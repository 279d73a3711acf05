import { parseSettings } from '../../../src/kernel/config/settings.js';
import { StoreInfo } from '../../../src/kernel/database/store-info.js';
import { TenantChanges } from '../../../src/kernel/tenancy/tenant-changes.js';
import { SandboxReader } from '../../../src/kernel/sandbox/sandbox-flags.js';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../../../src/auth/session.entity.js';
import { newAlphanumeric, sha256Hex } from '../../../src/kernel/ids/ids.js';
import * as rows from '../../../src/tracker/entities.js';
import { Viewers, type Authentication, type Viewer } from '../../../src/tracker/access/viewer.js';
import { changeRows } from '../../support/rows.js';
import { TestOrganization, useStore } from './tracker-data.js';

const store = useStore();
type Made = { id: string };
const asViewer = (answer: Authentication): Viewer => {
  if ('refused' in answer) throw new Error(answer.refused);
  return answer.viewer;
};

/** Of one process among several, which remembers nobody without asking the store. */
const viewersOf = (): Viewers => {
  const info = new StoreInfo(false);
  return new Viewers(store.db, store.clock, new SandboxReader(parseSettings({}), info), new TenantChanges(), info);
};

describe('viewers', () => {
  const key = async (user: Made, organization: TestOrganization, value: Partial<rows.ApiKey> = {}) => {
    const hash = sha256Hex(newAlphanumeric(40));
    return organization.add(rows.ApiKey, { userId: user.id, hash, label: 'k', start: 'svc_api_xxxx', ...value });
  };

  it('come from API keys and claims, with the teams hidden from them', async () => {
    const viewers = viewersOf();
    const organization = await TestOrganization.create(store);
    const [ada, bob] = [await organization.user({ admin: true }), await organization.user()];
    const secret = await organization.team({ private: true }, [ada]);
    const gone = await organization.team({ archivedAt: new Date() });
    const apiKey = await key(bob, organization);
    const session = await organization.session(ada);
    const before = store.statements.length;
    const [byKey, byClaim] = await Promise.all([viewers.byApiKey(apiKey.hash as string), viewers.bySession(session)]);
    const lookups = store.statements.slice(before).filter((text) => !text.includes('SET last_seen'));
    expect(lookups).toHaveLength(2);
    expect(asViewer(byKey!)).toEqual(
      organization.viewer(bob, {
        accountId: bob.accountId,
        name: bob.name,
        displayName: bob.displayName,
        email: bob.email,
        hiddenTeamIds: [secret.id],
        archivedTeamIds: [gone.id],
        apiKeyId: apiKey.id,
        hasSubscriptions: false,
        hasAgents: false,
      } as Partial<Viewer>),
    );
    expect(asViewer(byClaim!)).toMatchObject({ userId: ada.id, admin: true, hiddenTeamIds: [], apiKeyId: null });
  });

  it('are refused with the reason', async () => {
    const viewers = viewersOf();
    const organization = await TestOrganization.create(store);
    const [ada, bob] = [await organization.user(), await organization.user({ active: false })];
    const revoked = await key(ada, organization, { revokedAt: new Date() });
    const suspended = await key(bob, organization);
    expect(await viewers.byApiKey(revoked.hash as string)).toEqual({ refused: 'token_revoked' });
    expect(await viewers.byApiKey(suspended.hash as string)).toEqual({ refused: 'account_inactive' });
    expect(await viewers.byApiKey('0')).toEqual({ refused: 'invalid_auth' });
    const foreign = await TestOrganization.create(store);
    const session = await organization.session(ada);
    expect(await viewers.bySession({ ...session, organizationId: foreign.id })).toEqual({
      refused: 'account_inactive',
    });
    expect(await viewers.bySession({ ...session, sid: 'none' })).toEqual({ refused: 'invalid_auth' });
    await changeRows(store, Session, { sid: session.sid }, { endedAt: new Date() });
    expect(await viewers.bySession(session)).toEqual({ refused: 'token_revoked' });
    const orphan = await key({ id: '3f2b1c9a-0d4e-4f5a-8b6c-7d8e9f0a1b2c' }, organization);
    expect(await viewers.byApiKey(orphan.hash as string)).toEqual({ refused: 'account_inactive' });
  });

  it('update last seen, at most once a minute', async () => {
    const viewers = viewersOf();
    const organization = await TestOrganization.create(store);
    const user = await organization.user();
    const { hash } = await key(user, organization);
    const seen = async () => {
      const [row] = (await store.dataSource.query(
        `SELECT u.last_seen AS "lastSeen", a.last_used_at AS "lastUsedAt" FROM tracker_users u JOIN api_keys a ON a.user_id = u.id WHERE u.id = $1`,
        [user.id],
      )) as { lastSeen: Date | null; lastUsedAt: Date | null }[];
      return row!;
    };
    try {
      await viewers.byApiKey(hash as string);
      await vi.waitFor(async () => expect((await seen()).lastUsedAt).not.toBeNull());
      const first = await seen();
      expect(first.lastSeen).toEqual(first.lastUsedAt);
      store.clock.advance(59_000);
      const writes = store.statements.filter((text) => text.includes('SET last_seen')).length;
      await viewers.byApiKey(hash as string);
      expect(store.statements.filter((text) => text.includes('SET last_seen')).length).toBe(writes);
      store.clock.advance(2_000);
      await viewers.byApiKey(hash as string);
      await vi.waitFor(async () =>
        expect((await seen()).lastSeen!.getTime()).toBeGreaterThan(first.lastSeen!.getTime()),
      );
    } finally {
      store.clock.reset();
    }
  });
});
