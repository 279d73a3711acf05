import { Command, Option } from 'commander';
import { Api } from './api.js';
import { environmentOf } from './environment.js';
import { newSandbox } from './new-sandbox.js';
import { printJson, printLine, printTable, withProgress } from './output.js';
import { label, seconds } from './values.js';

interface SandboxRow {
  id: string;
  name: string | null;
  labels: Record<string, string>;
  team_id: string;
  expires_at: number | null;
  counts: Record<string, number>;
}

interface JsonOption {
  json?: boolean;
}

/** `understudy sandbox …`: sandboxes from a shell, for people and test suites. */
export function sandboxCommand(): Command {
  const sandbox = new Command('sandbox')
    .description('create, inspect, reset and delete sandboxes')
    .addHelpText('after', '\nExample:\n  understudy sandbox create --name checkout --ttl 1h');
  sandbox
    .command('create')
    .description('create a sandbox and print it with its credentials')
    .option('--seed <file>', 'fill it from a document, YAML or JSON; - reads standard input')
    .option('--name <name>', 'a name for people')
    .option('--ttl <time>', 'how long it lives, such as 90s, 1h or 2d', seconds)
    .option('--label <key=value>', 'a label; may be repeated', label)
    .addOption(new Option('--methods <which>', "methods of the API; default: the server's").choices(['core', 'all']))
    .option('--env', 'print export lines for a shell: eval "$(understudy sandbox create --env)"')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  eval "$(understudy sandbox create --seed suite.yaml --ttl 1h --env)"')
    .action(create);
  sandbox
    .command('list')
    .description('list the sandboxes that the credential may see')
    .option('--label <key=value>', 'only sandboxes with this label', label)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  understudy sandbox list --label suite=checkout')
    .action(list);
  const withId = (name: string, description: string, example: string): Command =>
    sandbox
      .command(`${name} [id]`)
      .description(`${description}; without an id the token's sandbox`)
      .option('--json', 'print one JSON document')
      .addHelpText('after', `\nExample:\n  understudy sandbox ${example}`);
  withId('show', 'print a sandbox', 'show').action(async (id: string | undefined) => {
    const api = await Api.connect(process.env);
    printJson(await api.call('GET', api.sandbox(id)));
  });
  withId('reset', 'put a sandbox back to its baseline or a snapshot', 'reset --to before')
    .option('--to <snapshot>', 'a snapshot, by name or id', 'baseline')
    .action(async (id: string | undefined, { to, json }: { to: string } & JsonOption) => {
      const api = await Api.connect(process.env);
      const answer = await api.call<{ to: string; rows: number; ms: number }>('POST', api.sandbox(id, '/reset'), {
        body: { to },
      });
      if (json) printJson(answer);
      else printLine(`reset to ${answer.to}: ${answer.rows} rows, ${answer.ms} ms`);
    });
  withId('delete', 'delete a sandbox with everything in it', 'delete Sb0ABCDEFGHI').action(
    async (id: string | undefined, { json }: JsonOption) => {
      const api = await Api.connect(process.env);
      const answer = await api.call('DELETE', api.sandbox(id));
      if (json) printJson(answer);
      else printLine('deleted');
    },
  );
  withId('export', 'print a sandbox as a seed document', 'export --format yaml > suite.yaml')
    .option('--format <format>', 'json or yaml', 'yaml')
    .option('--ids', 'with ids and timestamps')
    .action(async (id: string | undefined, options: { format: string; ids?: boolean } & JsonOption) => {
      const api = await Api.connect(process.env);
      const format = options.json ? 'json' : options.format;
      const query = { format: format === 'yaml' ? 'yaml' : undefined, ids: options.ids };
      printLine((await api.call<string>('GET', api.sandbox(id, '/seed'), { query, raw: true })).trimEnd());
    });
  withId('snapshot', 'save the state of a sandbox, to reset to it later', 'snapshot --name before')
    .option('--name <name>', 'the same name again replaces it')
    .action(async (id: string | undefined, { name, json }: { name?: string } & JsonOption) => {
      const api = await Api.connect(process.env);
      const answer = await api.call<{ id: string; rows: number }>('POST', api.sandbox(id, '/snapshots'), {
        body: name === undefined ? {} : { name },
      });
      if (json) printJson(answer);
      else printLine(`${answer.id}: ${answer.rows} rows`);
    });
  return sandbox;
}

interface CreateOptions extends JsonOption {
  seed?: string;
  name?: string;
  ttl?: number;
  label?: Record<string, string>;
  methods?: 'core' | 'all';
  env?: boolean;
}

async function create({ seed, name, ttl, label: labels, methods, env, json }: CreateOptions): Promise<void> {
  const api = await Api.connectAsOperator(process.env);
  // for the clients that are started with these variables: official ones repeat a 403 for half an hour
  const defaults = env ? { missing_scope_status: 200 } : {};
  const made = await withProgress('creating the sandbox', () =>
    newSandbox(api, { seed, name, ttl, label: labels, settings: methods ? { methods } : {}, defaults }),
  );
  if (env) {
    for (const [key, value] of Object.entries(environmentOf(api.base, made.credentials, made.urls))) {
      printLine(`export ${key}=${quoted(value)}`);
    }
  } else if (json) printJson(made);
  else {
    printLine(`Sandbox        ${made.id} (${made.team_id})`);
    printLine(`Control token  ${made.credentials.control_token}`);
    printLine(`Bot token      ${made.credentials.bot_token}`);
    printLine(`User token     ${made.credentials.user_token}`);
    printLine(`API key        ${made.credentials.api_key}`);
  }
}

const quoted = (value: string): string => (/^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);

async function list({ label: labels, json }: { label?: Record<string, string> } & JsonOption): Promise<void> {
  const api = await Api.connectAsOperator(process.env);
  const wanted = Object.entries(labels ?? {});
  const [first] = wanted;
  const rows: SandboxRow[] = [];
  let cursor: string | undefined;
  do {
    const page: { sandboxes: SandboxRow[]; next_cursor: string } = await api.call('GET', '/sandboxes', {
      query: { limit: 200, cursor, label: first?.join(':') },
    });
    // the server filters by one label; further labels are filtered here
    rows.push(...page.sandboxes.filter((row) => wanted.every(([key, value]) => row.labels[key] === value)));
    cursor = page.next_cursor || undefined;
  } while (cursor !== undefined);
  if (json) return printJson(rows);
  const time = (at: number | null) => (at === null ? 'never' : new Date(at * 1000).toISOString());
  printTable(
    ['ID', 'NAME', 'TEAM', 'LABELS', 'EXPIRES', 'MESSAGES', 'ISSUES'],
    rows.map(({ id, name, team_id, labels: own, expires_at, counts }) => [
      id,
      name ?? '',
      team_id,
      Object.entries(own)
        .map((pair) => pair.join('='))
        .join(','),
      time(expires_at),
      String(counts['messages'] ?? 0),
      String(counts['issues'] ?? 0),
    ]),
  );
}
