export { orgClaimOf } from '../tracker/access/org-claim.js';
