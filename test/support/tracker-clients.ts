import type { TestApp } from './app.js';

/** A new organization with its owner's client, its project statuses by name, and a function that creates projects. */
export async function organizationWithProjects(app: TestApp) {
  const org = await app.organization();
  const client = org.client();
  const { nodes: statuses } = await client.projectStatuses();
  const status = (name: string) => statuses.find((candidate) => candidate.name === name)!.id;
  const create = async (input: object = {}) =>
    (await (
      await client.createProject({ name: 'Launch', teamIds: [org.team.id], ...input })
    ).project)!;
  return { org, client, status, create };
}

/** A new organization with its owner's client, the team ENG and its states by name. */
export async function organizationWithStates(app: TestApp) {
  const org = await app.organization();
  const client = org.client();
  const team = await client.team('ENG');
  const states = (await team.states()).nodes;
  const state = (name: string) => states.find((candidate) => candidate.name === name)!;
  return { org, client, team, state };
}
