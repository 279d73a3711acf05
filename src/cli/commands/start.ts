import { Command } from 'commander';
import { addStartOptions, applyStartOptions, stopWhenStdinEnds } from '../kit/start-options.js';

/** `understudy start`. */
export function startCommand(): Command {
  return addStartOptions(new Command('start'))
    .description('start the server; flags win over the environment')
    .option('--print-credentials', 'print the default credentials; the default, unless --quiet')
    .action(async (options: Record<string, unknown>) => {
      applyStartOptions(options, process.env);
      if (options['untilStdinEnds'] === true) stopWhenStdinEnds();
      if (options['quiet'] !== true && !process.argv.includes('--print-credentials')) {
        process.argv.push('--print-credentials');
      }
      await import('../../main.js'); // main.js reads this option from the command line, as it does when it is started without this command
    });
}
