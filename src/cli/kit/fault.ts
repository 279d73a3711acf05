import { Command } from 'commander';
import { Api } from './api.js';
import { printJson, printLine, printTable } from './output.js';
import { json, wholeNumber } from './values.js';

interface FaultRow {
  id: string;
  on: { method: string; app?: string };
  fault: { type: string };
  times: number | null;
  skip: number;
  seen: number;
  fired: number;
}

interface FaultOptions {
  sandbox?: string;
  app?: string;
  where?: unknown;
  times?: number;
  always?: boolean;
  skip?: number;
  retryAfter?: number;
  status?: number;
  error?: string;
  ms?: number;
  set?: unknown;
  json?: boolean;
}

/** `understudy fault …`: makes the next calls fail as they would in production. */
export function faultCommand(): Command {
  const fault = new Command('fault')
    .description('make calls fail on purpose')
    .argument('[method]', 'a method, a family (chat.*), a root field (issueCreate), webhooks.incoming, or *')
    .argument(
      '[type]',
      'ratelimited, error, http, delay, drop, slow, truncate, lose_answer, duplicate, redirect or expire_stream',
    )
    .option('--sandbox <id>', "id of the sandbox; default: the token's")
    .option('--app <app>', 'only calls of this app')
    .option('--where <json>', 'only calls that match', json)
    .option('--times <n>', 'how often; default: once', wholeNumber)
    .option('--always', 'until it is cleared')
    .option('--skip <n>', 'let this many calls through first', wholeNumber)
    .option('--retry-after <seconds>', 'Retry-After, for ratelimited', wholeNumber)
    .option('--status <status>', 'HTTP status, for http and error', wholeNumber)
    .option('--error <code>', 'error code, for error')
    .option('--ms <ms>', 'of delay', wholeNumber)
    .option('--set <json>', 'parameters of the redirect, for redirect', json)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  understudy fault chat.postMessage ratelimited --retry-after 1')
    .action(add);
  fault
    .command('list')
    .description('list the faults of a sandbox with their counts')
    .option('--sandbox <id>', "id of the sandbox; default: the token's")
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  understudy fault list')
    .action(async (_own: unknown, command: Command) => {
      const options = command.optsWithGlobals<FaultOptions>();
      const api = await Api.connect(process.env);
      const { faults } = await api.call<{ faults: FaultRow[] }>('GET', api.sandbox(options.sandbox, '/faults'));
      if (options.json) return printJson(faults);
      printTable(
        ['ID', 'METHOD', 'TYPE', 'TIMES', 'SEEN', 'FIRED'],
        faults.map(({ id, on, fault: what, times, seen, fired }) => [
          id,
          on.method,
          what.type,
          times === null ? 'always' : String(times),
          String(seen),
          String(fired),
        ]),
      );
    });
  fault
    .command('clear')
    .description('remove one fault, or all')
    .argument('[id]')
    .option('--sandbox <id>', "id of the sandbox; default: the token's")
    .addHelpText('after', '\nExample:\n  understudy fault clear')
    .action(async (id: string | undefined, _own: unknown, command: Command) => {
      const options = command.optsWithGlobals<FaultOptions>();
      const api = await Api.connect(process.env);
      await api.call('DELETE', api.sandbox(options.sandbox, `/faults${id === undefined ? '' : `/${id}`}`));
      printLine('cleared');
    });
  return fault;
}

async function add(
  method: string | undefined,
  type: string | undefined,
  options: FaultOptions,
  command: Command,
): Promise<void> {
  if (method === undefined || type === undefined) {
    return command.error('error: name a method and a type of fault', { exitCode: 2 });
  }
  const api = await Api.connect(process.env);
  const { app, where, times, always, skip, retryAfter, status, error, ms, set } = options;
  const body = {
    on: { method, ...(app ? { app } : {}), ...(where === undefined ? {} : { where }) },
    fault: {
      type,
      ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
      ...(status === undefined ? {} : { status }),
      ...(error === undefined ? {} : { error }),
      ...(ms === undefined ? {} : { ms }),
      ...(set === undefined ? {} : { set }),
    },
    ...(always ? { times: null } : times === undefined ? {} : { times }),
    ...(skip === undefined ? {} : { skip }),
  };
  const made = await api.call<FaultRow>('POST', api.sandbox(options.sandbox, '/faults'), { body });
  if (options.json) printJson(made);
  else printLine(`${made.id}: ${method} → ${type}, ${made.times === null ? 'until cleared' : `${made.times} time(s)`}`);
}
