import { Command } from 'commander';
import { parseSettings } from '../../kernel/config/settings.js';

/** `understudy health`. */
export function healthCommand(): Command {
  return new Command('health')
    .description('exit with code 0 if the server with these settings on this machine is healthy, else with 1')
    .addHelpText('after', '\nExample:\n  until understudy health; do sleep 1; done')
    .action(async () => {
      const { checkHealth } = await import('../health.js');
      await checkHealth(parseSettings(process.env));
    });
}
