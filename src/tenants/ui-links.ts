import { Inject, Injectable } from '@nestjs/common';
import { isLocalTarget, linkUrl, SignInLinks } from '../auth/sign-in-links.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db } from '../kernel/database/db.js';
import { StoreError } from '../kernel/database/store-error.js';
import { PERSON_TO_SIGN_IN } from '../messaging/provisioning/default-workspace.queries.js';

/** The request of `understudy open`. */
export interface UiLinkRequest {
  /** A person of the default workspace, by id or name; the first admin by default. */
  readonly as?: string | undefined;
  /** The page of the web UI. */
  readonly to?: string | undefined;
}

/** One-time links into the web UI for people on the machine itself. */
@Injectable()
export class UiLinks {
  constructor(
    private readonly db: Db,
    private readonly links: SignInLinks,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** @throws StoreError saying what is wrong with the request */
  async open(baseUrl: string, request: UiLinkRequest = {}): Promise<string> {
    if (this.settings.mode !== 'full') {
      throw new StoreError('this server has no web UI; start it with one: SVC_MODE=full npm start');
    }
    const { as, to } = request;
    if (to !== undefined && !isLocalTarget(to))
      throw new StoreError(`--to must be a path that begins with /, not "${to}"`);
    const [person] = await this.db.read<{ id: string; isBot: boolean; gone: boolean; teamId: string }>(
      PERSON_TO_SIGN_IN,
      [as ?? null],
    );
    if (!person || person.gone) throw new StoreError(`nobody in the default workspace is called "${as ?? 'admin'}"`);
    if (person.isBot) throw new StoreError(`"${as}" is a bot; only people sign in`);
    const { key } = await this.links.make({ accountId: person.id, teamId: person.teamId, target: to });
    return linkUrl(baseUrl, key, to);
  }
}
