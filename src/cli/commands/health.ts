import { Command } from 'commander';

/** `understudy health`. */
export function healthCommand(): Command {
  return new Command('health')
    .description(
      'exit with code 0 if the server of SVC_API_URL, else of PORT or the data directory, is healthy, else with 1',
    )
    .addHelpText('after', '\nExample:\n  until understudy health; do sleep 1; done')
    .action(async () => {
      const { checkHealth } = await import('../health.js');
      await checkHealth(process.env);
    });
}
