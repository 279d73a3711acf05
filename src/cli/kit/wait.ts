import { Argument, Command } from 'commander';
import { WAITS } from '../../sandbox/waiting/wait-kinds.js';
import { Api } from './api.js';
import { printJson, say } from './output.js';
import { documentFrom, json, seconds, wholeNumber } from './values.js';

interface WaitAnswer {
  matched: boolean;
  entries: object[];
  closest?: { entry: object; differs: { path: string; expected: unknown; actual: unknown }[] }[];
}

interface Failure {
  expectation?: number;
  nothing_else?: string;
  message?: string;
  unexpected?: object[];
}

const sandboxOption = ['--sandbox <id>', "id of the sandbox; default: the token's"] as const;

/** `understudy wait <for>`: exit code 0 when it happened, 1 when it did not. */
export function waitCommand(): Command {
  return new Command('wait')
    .description('wait until something has happened; exit code 1 if it did not')
    .addArgument(new Argument('<for>', 'what').choices(WAITS))
    .option(...sandboxOption)
    .option('--where <json>', 'what it must match', json)
    .option('--count <n>', 'how many', wholeNumber)
    .option('--timeout <time>', 'how long, such as 5s', seconds)
    .option('--after <cursor>', 'where to start: a cursor, start or now; default: the last mark')
    .option('--json', 'print the whole answer as one JSON document')
    .addHelpText('after', `\nExample:\n  understudy wait message --where '{"text":{"$contains":"done"}}' --timeout 10s`)
    .action(async (what: string, options: WaitOptions) => {
      const { sandbox, where, count, timeout, after } = options;
      const api = await Api.connect(process.env);
      const answer = await api.call<WaitAnswer>('POST', api.sandbox(sandbox, '/wait'), {
        body: {
          for: what,
          ...(where === undefined ? {} : { where }),
          ...(count === undefined ? {} : { count }),
          ...(timeout === undefined ? {} : { timeout_ms: Math.round(timeout * 1000) }),
          ...(after === undefined ? {} : { after }),
        },
      });
      printJson(options.json ? answer : answer.entries);
      if (answer.matched) return;
      process.exitCode = 1;
      say(what === 'quiet' ? 'it was not quiet' : `no ${what} matched in time`);
      for (const { differs } of answer.closest ?? []) {
        for (const { path, expected, actual } of differs) {
          say(`  ${path}: expected ${JSON.stringify(expected)}, was ${JSON.stringify(actual)}`);
        }
      }
    });
}

interface WaitOptions {
  sandbox?: string;
  where?: unknown;
  count?: number;
  timeout?: number;
  after?: string;
  json?: boolean;
}

/** `understudy assert <file>`: exit code 0 when everything in the document holds, 1 when not. */
export function assertCommand(): Command {
  return new Command('assert')
    .description('compare what has changed with a document; exit code 1 if it differs')
    .argument('<file>', 'JSON with expect, nothing_else and since; - reads standard input')
    .option(...sandboxOption)
    .option('--json', 'print the whole answer as one JSON document')
    .addHelpText('after', '\nExample:\n  understudy assert expected.json')
    .action(async (file: string, options: { sandbox?: string; json?: boolean }) => {
      const api = await Api.connect(process.env);
      const body = documentFrom(file);
      const answer = await api.call<{ passed: boolean; failures: Failure[] }>(
        'POST',
        api.sandbox(options.sandbox, '/assert'),
        { body, ...(typeof body === 'string' ? { headers: { 'content-type': 'application/json' } } : {}) },
      );
      if (options.json) printJson(answer);
      for (const failure of answer.failures)
        say(failure.message ?? `something else happened to ${failure.nothing_else}`);
      if (answer.passed) say('passed');
      else process.exitCode = 1;
    });
}
