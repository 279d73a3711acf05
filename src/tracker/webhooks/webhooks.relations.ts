import { UserType } from '../organization/users/users.types.js';
import { TeamType } from '../teams/teams.types.js';
import { WebhookType } from './webhooks.types.js';
import { derived, nullable, relationsOf } from '../graphql/relations.js';
import type { Webhook } from './webhook.entity.js';

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
