import { isUuid } from '../values/uuid.js';

/**
 * The `org` claim of an access token: the organization's 16 bytes as base64url, so that no token shows a UUID
 * (docs/reference/control-plane.md#accounts).
 */
export const orgClaimOf = (organizationId: string): string =>
  Buffer.from(organizationId.replaceAll('-', ''), 'hex').toString('base64url');

/** The organization a claim names; undefined when it names none. */
export function organizationOfClaim(claim: unknown): string | undefined {
  if (typeof claim !== 'string' || claim.length !== 22) return undefined;
  const hex = Buffer.from(claim, 'base64url').toString('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return isUuid(id) ? id : undefined;
}
