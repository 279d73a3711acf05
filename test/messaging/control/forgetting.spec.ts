import { describe, expect, it } from 'vitest';
import { Sessions } from '../../../src/auth/sessions.js';
import { SignInLinks } from '../../../src/auth/sign-in-links.js';
import { ResponseUrls } from '../../../src/messaging/store/response-urls.js';
import { useApp } from '../../support/app.js';

/** More than one statement takes away. */
const MANY = 4_500;

describe('what is over', () => {
  const app = useApp();
  const count = async (sql: string, id: string): Promise<number> =>
    Number(((await app.store.dataSource.query(sql, [id])) as { n: string }[])[0]?.n);

  it('is forgotten to the last response URL, however many there are', async () => {
    const ws = await app.workspace();
    await app.store.dataSource.query(
      `INSERT INTO response_urls (hash, workspace_id, app_id, conversation_id, user_id, expires_at, created_at)
       SELECT md5($1 || g), $1, 'A0', $2, 'U0', now(), now() - CASE WHEN g = 0 THEN interval '23 hours' ELSE interval '25 hours' END
         FROM generate_series(0, $3::int) g`,
      [ws.id, ws.general.id, MANY],
    );
    await app.nest.get(ResponseUrls, { strict: false }).sweep();
    expect(await count('SELECT count(*) AS n FROM response_urls WHERE workspace_id = $1', ws.id)).toBe(1);
  });

  it('is forgotten to the last link for signing in, however many there are', async () => {
    const ws = await app.workspace();
    await app.store.dataSource.query(
      `INSERT INTO sign_in_links (key_hash, account_id, team_id, claims, expires_at)
       SELECT md5($1 || g), $2, $1, '{}', now() - CASE WHEN g = 0 THEN interval '-1 hour' ELSE interval '1 minute' END
         FROM generate_series(0, $3::int) g`,
      [ws.id, ws.admin.id, MANY],
    );
    await app.nest.get(SignInLinks, { strict: false }).sweep();
    expect(await count('SELECT count(*) AS n FROM sign_in_links WHERE team_id = $1', ws.id)).toBe(1);
  });

  it('is forgotten to the last session, however many there are', async () => {
    const ws = await app.workspace();
    const user = await ws.user();
    await app.store.dataSource.query(
      `INSERT INTO sessions (sid, account_id, over_at)
       SELECT left(md5($1 || g), 16), $1, now() - CASE WHEN g = 0 THEN interval '1 hour' ELSE interval '27 hours' END
         FROM generate_series(0, $2::int) g`,
      [user.id, MANY],
    );
    await app.nest.get(Sessions, { strict: false }).sweep();
    expect(await count('SELECT count(*) AS n FROM sessions WHERE account_id = $1', user.id)).toBe(1);
  });
});
