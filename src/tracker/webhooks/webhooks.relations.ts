import { relationsOf } from '../graphql/relations.js';
import type { Webhook } from '../model/rows.js';

export const webhookRelations = relationsOf<Webhook>('Webhook', {
  creator: (webhook, load) => webhook.creatorId && load.user.load(webhook.creatorId),
  team: (webhook, load) => webhook.teamId && load.team.load(webhook.teamId),
});
