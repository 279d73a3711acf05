import { rest } from '../api/client.js';

/** An application of OAuth that the organization registered for its tracker. */
export interface Application {
  id: string;
  clientId: string;
  name: string;
  description: string | null;
  developer: string | null;
  redirectUris: string[];
  grantTypes: string[];
  distribution: 'private' | 'public';
  webhookUrl: string | null;
  webhookEnabled: boolean;
  webhookResourceTypes: string[];
  createdAt: string;
}

/** Of the organization; and those of others that are authorized in it. */
export interface Applications {
  own: Application[];
  guests: Guest[];
}

export interface Guest {
  app_id: string;
  name: string;
}

interface Installed extends Guest {
  product: string;
  home: boolean;
}

export async function loadApplications(): Promise<Applications> {
  const [{ applications }, { installations }] = await Promise.all([
    rest<{ applications: Application[] }>('GET /oauth-applications'),
    rest<{ installations: Installed[] }>('GET /sandboxes/self/installations'),
  ]);
  return { own: applications, guests: installations.filter(({ product, home }) => product === 'tracker' && !home) };
}
