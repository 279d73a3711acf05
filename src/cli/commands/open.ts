import { Command } from 'commander';

/** `understudy open`. */
export function openCommand(): Command {
  return new Command('open')
    .description('print a link that opens the web UI, signed in, and open it on a terminal; it works once, for an hour')
    .option('--as <name>', 'as this person of the workspace (name or id); default: its primary owner')
    .option('--to <path>', 'and goes to this page of the web UI, as /w/T0WORKSPACE/inspect')
    .option('--sandbox <id>', 'which one; default: that of the token')
    .option('--json', 'as one JSON document, and open nothing')
    .addHelpText('after', '\nExample:\n  understudy open --as alice')
    .action(async (options: { as?: string; to?: string; sandbox?: string; json?: boolean }) => {
      const { showLink } = await import('../open.js');
      await showLink(process.env, options);
    });
}
