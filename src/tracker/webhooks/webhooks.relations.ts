import { UserType } from '../organization/users/users.types.js';
import { TeamType } from '../teams/teams.types.js';
import { WebhookConnection, WebhookType } from './webhooks.types.js';
import { derived, nullable, relationsOf } from '../graphql/relations.js';
import type { Webhook } from './webhook.entity.js';
import { page } from '../graphql/relations.js';
import { type Team, teamConnections } from '../store/team.entity.js';
import { forbidden } from '../values/errors.js';

export const webhookRelations = relationsOf<Webhook>(() => WebhookType, {
  creator: nullable(
    () => UserType,
    (webhook, load) => load.row('User', webhook.creatorId),
  ),
  secret: derived((webhook, _load, _args, { db }) => db.secrets.open(webhook.secret)),
  team: nullable(
    () => TeamType,
    (webhook, load) => load.row('Team', webhook.teamId),
  ),
});

/** Those of a team. Reading them is for admins too. */
export const webhooksOfTeamRelations = relationsOf<Team>(() => TeamType, {
  webhooks: page(
    () => WebhookConnection,
    (team, load, args) => {
      if (!load.viewer.admin) throw forbidden('You need to be an admin to manage webhooks.');
      return load.page(teamConnections.webhooks, team.id, args);
    },
  ),
});
