/* Hand-written: parts of the one statement that tells what a copied tenant has. */

export const teamsOfCopy = (organization: string): string =>
  `SELECT t.key AS name, t.id FROM teams t WHERE t.organization_id = ${organization} AND t.archived_at IS NULL`;

/** The ids of an organization's applications, as text. */
export const applicationIds = (organization: string): string =>
  `SELECT c.id::text FROM oauth_applications c WHERE c.organization_id = ${organization}`;
