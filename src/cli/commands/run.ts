import { Command, Option } from 'commander';
import { label, seconds } from '../kit/values.js';
import { allowedHost, FIELDS, reportFile, variable, type RunOptions } from '../run/options.js';

const HOUR = 3_600;

/** Standard error is the command's, too. */
const sayPrefixed = (text: string): void => void process.stderr.write(text.replace(/^(?=.)/gm, 'understudy: '));

/** `understudy run`: runs a command whose calls to the vendors' hosts reach a sandbox. */
export function runCommandLine(): Command {
  return new Command('run')
    .description('run a command, unchanged, whose calls to slack.com and linear.app reach a sandbox of its own')
    .argument('<command...>', 'the command with its arguments, after --')
    .passThroughOptions()
    .configureOutput({ writeErr: sayPrefixed })
    .option('--server <url>', 'join this server; default: SVC_API_URL’s, the one of this folder, else a new one')
    .option('--new', 'start a server for this run, whatever runs already')
    .option('--seed <file>', 'fill the sandbox from a document, YAML or JSON; - reads standard input')
    .option('--name <name>', 'a name for people')
    .option('--ttl <time>', 'how long the sandbox lives at most, such as 90s, 1h or 2d', seconds, HOUR)
    .option('--label <key=value>', 'a label; may be repeated', label)
    .addOption(new Option('--methods <which>', 'methods of the API').choices(['core', 'all']).default('all'))
    .addOption(
      new Option('--sandbox <id>', 'use this sandbox; it is neither reset nor deleted').conflicts([
        'seed',
        'from',
        'pool',
      ]),
    )
    .addOption(
      new Option('--from <snapshot>', 'make the sandbox as a copy of this snapshot').conflicts(['seed', 'pool']),
    )
    .addOption(new Option('--pool <name>', 'take a sandbox that is ready in this pool').conflicts('seed'))
    .option('--keep', 'leave the sandbox when the command has ended')
    .option('--app <name>', 'the app whose tokens the variables hold; default: the default app')
    .option('--set <variable=field>', `one more variable; may be repeated. Fields: ${FIELDS.join(', ')}`, variable)
    .option('--offline', 'refuse connections to other hosts than the vendors’ and this machine')
    .option('--allow <host>', 'a host that passes under --offline, or *.suffix; may be repeated', allowedHost)
    .option('--no-intercept', 'set variables alone: no authority, no proxy, no preload')
    .addOption(new Option('--only <vendor>', 'lead only the hosts of this vendor here').choices(['slack', 'linear']))
    .option('--java', 'set JAVA_TOOL_OPTIONS as well')
    .option('--strict', 'fail for unknown methods or paths, failed deliveries and refused hosts too')
    .option('--report <format=file>', 'write json=FILE or junit=FILE; may be repeated', reportFile)
    .option('--quiet', 'no summary')
    .addHelpText('after', '\nExample:\n  understudy run --seed suite.yaml --report junit=understudy.xml -- npm test')
    .action(async (command: string[], options: RunOptions) => {
      const { runCommand } = await import('../run/run.js');
      await runCommand(command, options, process.env);
    });
}
