// A process of its own, as Node reads NODE_EXTRA_CA_CERTS only at the start.
import { LinearClient } from '@linear/sdk';

const client = new LinearClient({ apiKey: process.env.API_KEY, apiUrl: process.env.API_URL });
const viewer = await client.viewer;
process.stdout.write(viewer.id);
