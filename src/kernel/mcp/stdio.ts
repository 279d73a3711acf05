import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { FetchApiClient, PatientApiClient } from './api-client.js';
import { Refusal } from './refusal.js';
import { createToolServer, type ToolSet } from './tool-set.js';

/** How long calls under way may go on once the client has closed our input, in milliseconds. */
const LAST_CALLS_MS = 10_000;

const say = (line: string): void => void process.stderr.write(`understudy: ${line}\n`);

/**
 * Serves tools on standard input and output. Nothing but the protocol goes to standard output. What keeps the tools from
 * working is said on standard error; they are served all the same, and each call answers why. The process ends with its
 * input, after the calls that are under way.
 */
export async function serveOnStdio<Api>(
  set: ToolSet<Api>,
  options: { apiUrl: string; credential: string | undefined; credentialName: string },
): Promise<void> {
  const { credential, credentialName } = options;
  const client = new PatientApiClient(new FetchApiClient(options.apiUrl));
  const server = createToolServer(set, client, credential, (error, tool) =>
    say(`${tool} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  );
  // an idle process ends by itself once its input has ended; a call that hangs must not keep it
  process.stdin.once('end', () => setTimeout(() => process.exit(0), LAST_CALLS_MS).unref());
  process.stdin.once('error', () => process.exit(0));
  process.stdout.once('error', () => process.exit(0));
  await server.connect(new StdioServerTransport());

  if (credential === undefined) {
    say(`${credentialName} is not set, so the API will refuse every call`);
    return;
  }
  try {
    await set.check(set.connect(client, credential));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message.replaceAll('\n', ' '));
  }
}
