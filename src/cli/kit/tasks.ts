import { Command } from 'commander';
import { green, printJson, printLine, printTable, red } from './output.js';

/** `understudy tasks`: reference tasks for agents (docs/EVALUATION.md#reference-tasks). */
export function tasksCommand(): Command {
  return new Command('tasks')
    .description('tasks for agents, each with what tells whether it was done')
    .addHelpText('after', '\nExample:\n  understudy tasks check')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(checkCommand());
}

const listCommand = (): Command =>
  new Command('list')
    .description('list them')
    .option('--json', 'print them whole, as one JSON document')
    .addHelpText('after', '\nExample:\n  understudy tasks list')
    .action(async ({ json }: { json?: boolean }) => {
      const { allTasks } = await import('../tasks/task.js');
      const tasks = allTasks();
      if (json) return printJson(tasks);
      const rows = tasks.map(({ id, tools, title }) => [id, tools.join(' '), title]);
      printTable(['ID', 'TOOLS', 'TITLE'], rows);
    });

const showCommand = (): Command =>
  new Command('show')
    .description('show a task as a YAML document')
    .argument('<id>', 'its id')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  understudy tasks show c01-announce')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const [{ taskOf }, { writeYaml }] = await Promise.all([
        import('../tasks/task.js'),
        import('../../kernel/text/yaml.js'),
      ]);
      const task = taskOf(id);
      if (json) printJson(task);
      else process.stdout.write(writeYaml({ ...task }));
    });

const checkCommand = (): Command =>
  new Command('check')
    .description('check that doing nothing fails, the solution passes and what is wrong fails; exit code 1 if not')
    .argument('[id...]', 'ids; default: all')
    .option('--server <url>', 'at this server; default: SVC_API_URL’s, the one of this folder, else a new one')
    .option('--json', 'print the sentences as one JSON document, by id')
    .addHelpText('after', '\nExample:\n  understudy tasks check c01-announce')
    .action(async (ids: string[], { server, json }: { server?: string; json?: boolean }) => {
      const [{ allTasks, taskOf }, { faultsOf }, { serverOf }] = await Promise.all([
        import('../tasks/task.js'),
        import('../tasks/check.js'),
        import('../run/run-server.js'),
      ]);
      const tasks = ids.length === 0 ? allTasks() : ids.map(taskOf);
      const { api, own } = await serverOf({ ...(server !== undefined && { server }) }, process.env);
      const found: Record<string, string[]> = {};
      try {
        for (const task of tasks) {
          const faults = await faultsOf(api, task);
          found[task.id] = faults;
          if (faults.length > 0) process.exitCode = 1;
          if (json) continue;
          printLine(`${faults.length === 0 ? green('ok') : red('no')}  ${task.id}`);
          for (const fault of faults) printLine(`    ${fault}`);
        }
      } finally {
        await own?.stop();
      }
      if (json) printJson(found);
    });
