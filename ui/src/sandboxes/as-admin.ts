import { rest } from '../api/client.js';

/** The operator's token, only in this tab's memory. */
let adminToken = '';

/** Whether a token was entered. */
export const hasAdminToken = (): boolean => adminToken !== '';

export function setAdminToken(token: string): void {
  adminToken = token;
}

/**
 * Calls as the operator if a token was entered, else as the signed-in person.
 * @throws ApiError
 */
export const asAdmin = <T>(route: string, body?: object): Promise<T & Record<string, unknown>> =>
  rest<T & Record<string, unknown>>(route, {
    ...(body ? { body } : {}),
    ...(adminToken === '' ? {} : { headers: { 'x-admin-token': adminToken } }),
  });

const AT_ONCE = 4;

/** Runs a job for each item, four at a time. */
export async function forEach(ids: readonly string[], job: (id: string) => Promise<unknown>): Promise<void> {
  const left = [...ids];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) await job(id);
    }),
  );
}
