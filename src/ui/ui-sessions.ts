import { Inject, Injectable } from '@nestjs/common';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from '../auth/access-tokens.js';
import type { LoginBody, SignupBody } from '../auth/auth.dto.js';
import { SignInLinks } from '../auth/sign-in-links.js';
import { SignIn, type SessionAnswer } from '../auth/sign-in.service.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { RestError } from '../kernel/http/http-error.js';
import { idSpaceOf } from '../kernel/ids/id-space.js';
import { Browsers } from './browsers.js';
import type { SignInRow } from './browsers.queries.js';

/** The answer for a browser, and the secret for its cookie. */
export interface OpenedSession {
  readonly secret: string;
  readonly answer: object;
}

/** Sign-in to the web UI: a browser's secret survives reloads, an access token lives in a tab's memory. */
@Injectable()
export class UiSessions {
  constructor(
    private readonly browsers: Browsers,
    private readonly signIn: SignIn,
    private readonly links: SignInLinks,
    private readonly accessTokens: AccessTokens,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  async login(secret: string | undefined, body: LoginBody): Promise<OpenedSession> {
    return this.adopt(secret, await this.signIn.login(body));
  }

  async signup(secret: string | undefined, body: SignupBody): Promise<OpenedSession> {
    return this.adopt(secret, await this.signIn.signup(body));
  }

  /** @throws RestError 401 invalid_link */
  async link(secret: string | undefined, key: string): Promise<OpenedSession> {
    const link = await this.links.redeem(key);
    if (!link) throw new RestError(401, 'invalid_link');
    const kept = await this.browsers.signIn(secret, link);
    const opened = await this.open(kept, isOf(link)).catch((error: unknown) => {
      // the person or the workspace was deleted after the link was made
      throw error instanceof RestError ? new RestError(401, 'invalid_link') : error;
    });
    return { ...opened, answer: { ...opened.answer, ...(link.target === undefined ? {} : { to: link.target }) } };
  }

  /** @throws RestError 401 not_authed, 404 team_not_found for a workspace that this browser is not signed in to */
  async refresh(secret: string | undefined, teamId: string | undefined): Promise<OpenedSession> {
    return this.open(secret ?? '', (one) => teamId === undefined || seen(one, one.teamId) === teamId);
  }

  /** Returns how many sign-ins are left. */
  async logout(secret: string | undefined, teamId: string | undefined): Promise<number> {
    if (secret === undefined) return 0;
    if (teamId === undefined) {
      await this.browsers.signOut(secret, undefined);
      return 0;
    }
    const ended = (await this.browsers.signIns(secret)).find((one) => seen(one, one.teamId) === teamId);
    if (ended) await this.browsers.signOut(secret, ended.teamId);
    return (await this.browsers.signIns(secret)).length;
  }

  /** Turns a session that began with a password into this browser's session. */
  private async adopt(secret: string | undefined, begun: SessionAnswer): Promise<OpenedSession> {
    const { accountId, sid, claims } = await this.accessTokens.verify(begun.accessToken);
    const teamId = String(claims['team_id']);
    const kept = await this.browsers.signIn(secret, { accountId, teamId, sid });
    return this.open(kept, isOf({ teamId, accountId }));
  }

  private async open(secret: string, isMeant: (one: SignInRow) => boolean): Promise<OpenedSession> {
    const all = await this.browsers.signIns(secret);
    if (all.length === 0) throw new RestError(401, 'not_authed');
    const chosen = all.find(isMeant);
    if (!chosen) throw new RestError(404, 'team_not_found');
    await this.browsers.used(secret, chosen.sid);
    return { secret, answer: await this.answerFor(chosen, all) };
  }

  private async answerFor(chosen: SignInRow, all: readonly SignInRow[]): Promise<object> {
    const { accountId, sid, teamId } = chosen;
    const claims = { ...chosen.claims, team_id: teamId, org: chosen.org ?? undefined, ui: 1 };
    return {
      accessToken: await this.accessTokens.issue({ accountId, sid, claims }),
      expiresIn: ACCESS_TOKEN_SECONDS,
      user: { id: seen(chosen, accountId), name: chosen.name, real_name: chosen.realName, email: chosen.email },
      team: teamOf(chosen),
      role: chosen.role,
      sandbox_id: chosen.sandboxId,
      methods: chosen.methods ?? this.settings.methods,
      signed_in: all.map((one) => ({
        team: teamOf(one),
        user: { id: seen(one, one.accountId), name: one.name, real_name: one.realName },
        role: one.role,
      })),
    };
  }
}

/** An id as the people of its sandbox know it. */
const seen = ({ idKey }: SignInRow, id: string): string => idSpaceOf(idKey)?.outside(id) ?? id;

const isOf =
  ({ teamId, accountId }: { readonly teamId: string; readonly accountId: string }) =>
  (one: SignInRow): boolean =>
    one.teamId === teamId && one.accountId === accountId;

const teamOf = (row: SignInRow): object => ({ id: seen(row, row.teamId), name: row.teamName, domain: row.domain });
