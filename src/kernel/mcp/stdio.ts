import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { FetchApiClient, RetryingApiClient } from './api-client.js';
import { Refusal } from './refusal.js';
import { createToolServer, type ToolSet } from './tool-set.js';

/** How long running calls may take to finish once the client has closed our input, in milliseconds. */
const DRAIN_MS = 10_000;

const say = (line: string): void => void process.stderr.write(`understudy: ${line}\n`);

/**
 * Serves tools on standard input and output, with nothing but the protocol on standard output. An error that keeps the
 * tools from working is printed on standard error; they are served all the same, and each call answers with the reason.
 * The process ends with its input, after the running calls.
 */
export async function serveOnStdio<Api>(
  set: ToolSet<Api>,
  options: { apiUrl: string; credential: string | undefined; credentialName: string },
): Promise<void> {
  const { credential, credentialName } = options;
  const client = new RetryingApiClient(new FetchApiClient(options.apiUrl));
  const server = createToolServer(set, client, credential, (error, tool) =>
    say(`${tool} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  );
  // an idle process ends by itself once its input has ended; a hanging call must not keep it alive
  process.stdin.once('end', () => setTimeout(() => process.exit(0), DRAIN_MS).unref());
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
