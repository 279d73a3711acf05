import { LinearClient } from '@linear/sdk';
import type { TestApp } from './app.js';
import { application, authorize, type Application } from './oauth-application.js';
import { receiver, type Receiver } from './receiver.js';
import type { OrganizationBuilder } from './tracker.js';

/** An application that acts as itself, with the official client. */
export interface Agent {
  readonly application: Application;
  readonly client: LinearClient;
  readonly token: string;
  /** Its own user in the organization. */
  readonly userId: string;
  readonly displayName: string;
  /** Where its webhook sends to. */
  readonly end: Receiver;
  /** The bodies of its `AgentSessionEvent`s, in order. */
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of bodies freely
  readonly heard: () => any[];
}

/** Lets an application act as itself in the organization; its webhook asks for agent sessions. */
export async function agentOf(
  org: OrganizationBuilder,
  fields: object = {},
  scope = 'write,app:assignable,app:mentionable',
): Promise<Agent> {
  const end = await receiver();
  const made = await application(org, {
    webhookUrl: end.url,
    webhookResourceTypes: ['AgentSessionEvent'],
    ...fields,
  });
  const { access_token: token } = await authorize(org.app, made, org.owner.id, { actor: 'app', scope });
  const client = clientOf(org.app, token);
  const viewer = await client.viewer;
  return {
    application: made,
    client,
    token,
    userId: viewer.id,
    displayName: viewer.displayName,
    end,
    heard: () => end.received.map(({ body }) => JSON.parse(body)).filter(({ type }) => type === 'AgentSessionEvent'),
  };
}

export const clientOf = (app: TestApp, accessToken: string): LinearClient =>
  new LinearClient({ accessToken, apiUrl: `${app.baseUrl}/graphql` });
