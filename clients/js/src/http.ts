import createClient, { type Client } from 'openapi-fetch';
import { ApiError } from './errors.js';
import type { paths } from './openapi.js';

/**
 * A client of the server's REST routes with one credential, typed by the server's OpenAPI document. Error responses are
 * thrown as ApiError.
 */
export type Api = Client<paths>;

/** @param url without a final slash: `http://127.0.0.1:3000` */
export function apiOf(url: string, headers: Readonly<Record<string, string>>): Api {
  const api = createClient<paths>({ baseUrl: url, headers });
  api.use({
    async onResponse({ request, response }) {
      if (response.ok) return;
      const path = request.url.slice(`${url}/api`.length);
      throw ApiError.of(`${request.method} ${path}`, response.status, await response.text());
    },
  });
  return api;
}

/** The body of a response. */
export async function answerOf<T>(call: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  return (await call).data as NonNullable<T>;
}

/** Leaves out fields that are undefined. */
export type Given<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Removes something that may be gone already, such as after a reset. */
export async function ignoringAbsence(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  });
}
