import { Command } from 'commander';

/** `understudy open`. */
export function openCommand(): Command {
  return new Command('open')
    .description('print a link that opens the web UI, signed in, and open it on a terminal; it works once, for an hour')
    .option('--as <name>', 'sign in as this person of the workspace (name or id); default: its primary owner')
    .option('--to <path>', 'open this page of the web UI, such as /w/T0WORKSPACE/inspect')
    .option('--sandbox <id>', "id of the sandbox; default: the token's")
    .option('--json', 'print one JSON document, and open nothing')
    .addHelpText('after', '\nExample:\n  understudy open --as alice')
    .action(async (options: { as?: string; to?: string; sandbox?: string; json?: boolean }) => {
      const { showLink } = await import('../open.js');
      await showLink(process.env, options);
    });
}
