import { Command } from 'commander';
import { nearest } from '../../kernel/config/unknown-settings.js';
import { Api } from './api.js';
import { printJson, printLine, printTable } from './output.js';
import { TRIGGERS, type TriggerInput } from './triggers.js';

interface TriggerOptions extends TriggerInput {
  sandbox?: string;
  as?: string;
  list?: boolean;
  json?: boolean;
}

/** `understudy trigger <event>`: performs the real action that causes an event. */
export function triggerCommand(): Command {
  return new Command('trigger')
    .description('make something happen for real, as a person')
    .argument('[event]', 'what to trigger: see --list')
    .option('--sandbox <id>', "id of the sandbox; default: the token's")
    .option('--as <name>', 'a person of the sandbox; default: one of its admins')
    .option('--channel <channel>', 'the channel', '#general')
    .option('--text <text>', 'the text of the message, or what --list says')
    .option('--app <app>', 'the app, for events that concern one')
    .option('--list', 'list what can be triggered')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  understudy trigger app_mention --as alice --channel war-room --text deploy')
    .action(trigger);
}

async function trigger(event: string | undefined, options: TriggerOptions, command: Command): Promise<void> {
  if (options.list) {
    const rows = Object.entries(TRIGGERS).map(([name, { about }]) => [name, about]);
    if (options.json) return printJson(Object.fromEntries(rows));
    return printTable(['EVENT', 'WHAT HAPPENS'], rows);
  }
  if (event === undefined) return command.error('error: name an event; --list shows them', { exitCode: 2 });
  const known = TRIGGERS[event];
  if (!known) {
    const near = nearest(event, Object.keys(TRIGGERS));
    const hint = near === undefined ? '--list shows all of them' : `did you mean ${near}?`;
    return command.error(`error: unknown event ${event}; ${hint}`, { exitCode: 2 });
  }
  const api = await Api.connect(process.env);
  const actor = await api.actor(options.sandbox, options.as);
  const answer = await known.run(api, actor, options);
  if (options.json) printJson(answer);
  else printLine(`${event}: ${JSON.stringify((answer as { result?: unknown }).result ?? answer)}`);
}
