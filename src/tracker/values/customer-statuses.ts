/** Those of a new organization (docs/reference/tracker.md#customer). The first one is that of new customers. */
export const CUSTOMER_STATUSES = [
  ['Active', '#4cb782', 'active'],
  ['Prospect', '#5e6ad2', 'active'],
  ['Churned', '#95a2b3', 'inactive'],
] as const;
