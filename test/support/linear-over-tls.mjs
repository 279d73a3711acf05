// Run as a process of its own: NODE_EXTRA_CA_CERTS is read once, at start.
import { LinearClient } from '@linear/sdk';

const client = new LinearClient({ apiKey: process.env.API_KEY, apiUrl: process.env.API_URL });
const viewer = await client.viewer;
process.stdout.write(viewer.id);
