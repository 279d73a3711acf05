import { fieldsOf } from '../graphql/relations.js';

export const webhookFields = fieldsOf('Webhook', {
  creator: 'User',
  team: 'Team',
});
