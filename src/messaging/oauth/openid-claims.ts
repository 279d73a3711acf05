import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { User } from '../store/user.entity.js';
import { Workspace } from '../store/workspace.entity.js';
import { MessagingError } from '../wire/codes.js';
import { teamIcon } from '../wire/team-icon.js';
import { imagesOf } from '../wire/user-wire.js';

/** Names of claims that OpenID does not define. */
const OWN = 'https://slack.com/';

/** What an app learns of who signed in, by the scopes they consented to (docs/reference/installing.md#sign-in). */
@Injectable()
export class OpenidClaims {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @throws MessagingError account_inactive */
  async of(
    who: { readonly workspaceId: string; readonly userId: string },
    scopes: readonly string[],
  ): Promise<{ readonly sub: string } & Record<string, unknown>> {
    const { workspaceId, userId: id } = who;
    const [user, team] = await this.db.load((entities) =>
      Promise.all([
        entities.findOneBy(User, { workspaceId, id, deletedAt: IsNull() }),
        entities.findOneBy(Workspace, { id: workspaceId, deletedAt: IsNull() }),
      ]),
    );
    if (!user || !team) throw new MessagingError('account_inactive');
    return {
      sub: user.id,
      [`${OWN}user_id`]: user.id,
      [`${OWN}team_id`]: team.id,
      ...(scopes.includes('email') && user.email !== null && emailOf(user)),
      ...(scopes.includes('profile') && this.profileOf(user, team)),
    };
  }

  private profileOf(user: User, team: Workspace): Record<string, unknown> {
    const { base } = this.publicUrl;
    const { real_name: name = '', first_name: given = '', last_name: family = '' } = user.profile;
    const images = imagesOf(user.id, base);
    return {
      name,
      given_name: given,
      family_name: family,
      locale: 'en-US',
      picture: images['image_512'],
      [`${OWN}team_name`]: team.name,
      [`${OWN}team_domain`]: team.domain,
      ...named('user_', images),
      ...named('team_', teamIcon(team, base)),
    };
  }
}

const emailOf = ({ email, createdAt }: User): Record<string, unknown> => ({
  email,
  email_verified: true,
  date_email_verified: Math.floor(createdAt / 1e6),
});

const named = (prefix: string, values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${OWN}${prefix}${key}`, value]));
