import { Command } from 'commander';
import { Api } from './api.js';
import { printJson, printLine, say } from './output.js';

interface InstallOptions {
  sandbox?: string;
  product: string;
  as?: string;
  start?: string;
  deny?: boolean;
  exchange?: boolean;
  json?: boolean;
}

interface Installed {
  redirected_to: string;
  installed: boolean;
  response: { status: number } | null;
  error?: string;
  tokens?: object;
  warnings?: string[];
}

/** `understudy install <app>`: lets an app in as a person with a browser does; exit code 1 if it is not installed then. */
export function installCommand(): Command {
  return new Command('install')
    .description('install an app by OAuth, as a person with a browser does')
    .argument('[app]', 'name, id or client id of the app; not needed with --start')
    .option('--sandbox <id>', "id of the sandbox; default: the token's")
    .option('--product <product>', 'chat or tracker', 'chat')
    .option('--as <user>', 'who consents; default: the primary owner')
    .option('--start <url>', "the app's own install URL")
    .option('--deny', 'cancel instead')
    .option('--exchange', 'redeem the code here and print the tokens')
    .option('--json', 'print the whole answer as one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  understudy install deploy --as alice --start http://localhost:3000/slack/install',
    )
    .action(install);
}

async function install(app: string | undefined, options: InstallOptions, command: Command): Promise<void> {
  const { sandbox, product, as, start, deny, exchange, json } = options;
  if (app === undefined && start === undefined) {
    return command.error('error: name an app, or its install URL with --start', { exitCode: 2 });
  }
  const isClientId = app !== undefined && /^(?:[0-9]{12}\.[0-9]{13}|[0-9a-f]{32})$/.test(app);
  const api = await Api.connect(process.env);
  const answer = await api.call<Installed>('POST', api.sandbox(sandbox, '/install'), {
    body: {
      product,
      ...(app === undefined ? {} : { [isClientId ? 'client_id' : 'app']: app }),
      ...(as === undefined ? {} : { as }),
      ...(start === undefined ? {} : { start }),
      ...(deny ? { decision: 'deny' } : {}),
      ...(exchange ? { exchange } : {}),
    },
  });
  for (const warning of answer.warnings ?? []) say(`warning: ${warning}`);
  if (json) printJson(answer);
  else if (answer.tokens) printJson(answer.tokens);
  else printLine(`${answer.installed ? 'installed' : 'not installed'}: ${outcome(answer)}`);
  if (!answer.installed && !deny) process.exitCode = 1;
}

/** What the app said at its redirect URL. */
const outcome = ({ response, error, redirected_to: url }: Installed): string =>
  `${url.split('?', 1)[0] ?? ''} answered ${response ? String(response.status) : (error ?? 'nothing')}`;
