import { Command, InvalidArgumentError } from 'commander';
import { Api } from './api.js';
import { entryLine, type Entry } from './entry-line.js';
import { Forwarder } from './forwarder.js';
import { printJson, printLine, say } from './output.js';
import { follow } from './stream.js';

const KINDS: Record<string, string> = { calls: 'call', events: 'event', deliveries: 'delivery' };

interface ListenOptions {
  sandbox?: string;
  only?: string;
  method?: string;
  forwardTo?: string;
  app?: string;
  json?: boolean;
}

/** `understudy listen`: shows the timeline live, and forwards the events of a sandbox to a local port. */
export function listenCommand(): Command {
  return new Command('listen')
    .description('show what happens in a sandbox, live')
    .option('--sandbox <id>', "id of the sandbox; default: the token's")
    .option('--only <kinds>', 'calls, events, deliveries, separated by commas', kindsOf)
    .option('--method <method>', 'only calls of this method, or of a family such as chat.*')
    .option('--forward-to <url>', 'post the events of the sandbox, signed, to this address while it runs', addressOf)
    .option('--app <app>', 'forward only the events of this app (name or id)')
    .option('--json', 'one JSON document per line')
    .addHelpText('after', '\nExample:\n  understudy listen --forward-to http://127.0.0.1:9000/slack/events')
    .action(listen);
}

function kindsOf(text: string): string {
  return text
    .split(',')
    .map((name) => {
      const kind = KINDS[name.trim()];
      if (kind === undefined) throw new InvalidArgumentError(`must be one of ${Object.keys(KINDS).join(', ')}`);
      return kind;
    })
    .join(',');
}

function addressOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('must be an address, such as http://127.0.0.1:9000/slack/events');
  }
  return text;
}

async function listen({ sandbox, only, method, forwardTo, app, json }: ListenOptions): Promise<void> {
  const api = await Api.connect(process.env);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const show = (entry: Entry): void => (json ? printJson(entry) : printLine(entryLine(entry)));
  const path = api.sandbox(sandbox, '/timeline/stream');
  const query = { after: 'now', kind: only, method, view: json ? 'full' : 'summary' };
  const follows = [await follow(api, { path, query, onEntry: show, signal: stop.signal })];
  if (forwardTo === undefined) say(`listening on ${api.base}; Ctrl+C ends it`);
  else {
    const forwarder = await Forwarder.open(api, { sandbox, app, url: forwardTo });
    const events = { after: 'now', kind: 'event', product: 'chat', view: 'full' };
    const onEntry = (entry: Entry): Promise<void> => forwarder.hand(entry);
    follows.push(await follow(api, { path, query: events, onEntry, signal: stop.signal }));
    say(`forwarding events of ${forwarder.names.join(', ')} to ${forwardTo}; Ctrl+C ends it`);
  }
  try {
    await Promise.all(follows.map(({ ended }) => ended));
  } finally {
    stop.abort();
  }
}
