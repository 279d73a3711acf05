import type { Command } from 'commander';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/program.js';
import { scratchFolder } from '../support/scratch.js';

/** Every command with its path of subcommands. */
function all(command: Command, path = ''): [string, Command][] {
  return [[path, command], ...command.commands.flatMap((each) => all(each, `${path} ${each.name()}`.trim()))] as [
    string,
    Command,
  ][];
}

const program = commandLine();
const commands = new Map(all(program));

/** The output of `--help` for a command. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

describe('understudy --help', () => {
  it('lists the documented commands', () => {
    const first = [...commands.keys()].filter((path) => path !== '' && !path.includes(' '));
    expect(first.sort()).toEqual(
      'assert ca completion fault health install listen mcp migrate open run sandbox start tasks tokens trigger wait'.split(
        ' ',
      ),
    );
    const ofSandbox = [...commands.keys()].filter((path) => path.startsWith('sandbox '));
    expect(ofSandbox.map((path) => path.slice('sandbox '.length)).sort()).toEqual(
      'create delete export list reset show snapshot'.split(' '),
    );
  });

  it.each([...commands.keys()])('shows for "%s" an example of that command', (path) => {
    const help = helpOf(commands.get(path) as Command);
    const example = /\nExample:\n {2}(.+)\n/.exec(help)?.[1] ?? '';
    expect(example, help).toMatch(new RegExp(`\\bunderstudy ${path}`));
    // the options of the example must exist
    const known = [...(commands.get(path) as Command).options, ...program.options].flatMap(({ long }) => long ?? []);
    const below = (commands.get(path) as Command).commands.flatMap(({ options }) =>
      options.flatMap(({ long }) => long),
    );
    for (const [flag] of example.matchAll(/--[a-z-]+/g)) {
      if (path !== '') expect([...known, ...below], example).toContain(flag);
    }
  });

  it('has --json for every command that prints data', () => {
    // these print nothing, a script, or messages of a protocol
    const without = [
      '',
      'start',
      'run',
      'health',
      'mcp',
      'mcp chat',
      'mcp issues',
      'ca',
      'completion',
      'sandbox',
      'tasks',
      'fault clear',
    ];
    const lacking = [...commands].filter(([, { options }]) => !options.some(({ long }) => long === '--json'));
    expect(lacking.map(([path]) => path).sort()).toEqual(without.sort());
  });

  it('wait takes what the route of waits takes', () => {
    const [what] = commands.get('wait')?.registeredArguments ?? [];
    expect(what?.argChoices?.toSorted()).toEqual(
      'call delivery ephemeral event idle install issue message quiet received script'.split(' '),
    );
  });
});

describe('understudy completion', { timeout: 30_000 }, () => {
  const folder = scratchFolder();
  const script = (shell: string): string => {
    const printed: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = ((text: string) => printed.push(text) > 0) as typeof write;
    try {
      commandLine().parse(['node', 'understudy', 'completion', shell]);
    } finally {
      process.stdout.write = write;
    }
    const file = join(folder, `completion.${shell}`);
    writeFileSync(file, printed.join(''));
    return file;
  };
  /** The typed words, with the last one unfinished; some expected completions; and some unexpected ones. */
  const LINES: [string[], string[], string[]][] = [
    [['sa'], ['sandbox'], ['start', 'tokens']],
    [[''], ['start', 'listen', 'completion', '--version'], ['create']],
    [['sandbox', ''], ['create', 'snapshot', '--help'], ['start']],
    [['sandbox', 'reset', '--'], ['--to', '--json'], ['--seed']],
    [['fault', 'list', '--'], ['--sandbox'], ['--label']],
    [['trigger', 'reaction'], ['reaction_added', 'reaction_removed'], ['message']],
    // an argument and the value of an option are between the flags
    [['trigger', 'message', '--as', 'alice', '--te'], ['--text'], []],
    [['wait', 'mess'], ['message'], []],
    [['completion', ''], ['bash', 'zsh', 'fish'], []],
  ];

  const words = (typed: string[]): string => ['understudy', ...typed].map((word) => `'${word}'`).join(' ');
  /** The script that each shell runs for all lines; a line of dashes follows the completions of each. */
  const SHELLS: Record<string, { options: string[]; ask: (typed: string[]) => string }> = {
    bash: {
      options: ['--norc', '-c'],
      ask: (typed) =>
        `COMP_WORDS=(${words(typed)}); COMP_CWORD=${typed.length}; _understudy; printf '%s\\n' "\${COMPREPLY[@]}"`,
    },
    zsh: {
      options: ['-f', '-c'],
      ask: (typed) => `words=(${words(typed)}); CURRENT=${typed.length + 1}; _understudy`,
    },
    fish: { options: ['--no-config', '-c'], ask: (typed) => `complete -C 'understudy ${typed.join(' ')}'` },
  };
  /** Replaces zsh's completion system, which exists only in interactive shells. */
  const ZSH = `compdef() { : }; compadd() { shift; print -l -- "\${(@M)@:#\${words[CURRENT]}*}" }; `;

  for (const [shell, { options, ask }] of Object.entries(SHELLS)) {
    const isThere = spawnSync(shell, ['--version']).status === 0;
    it.skipIf(!isThere)(`completes in ${shell}${isThere ? '' : ` (skipped: ${shell} is not installed)`}`, () => {
      const asked = LINES.map(([typed]) => `${ask(typed)}; echo -----`).join('\n');
      const text = `${shell === 'zsh' ? ZSH : ''}source '${script(shell)}'\n${asked}`;
      const env = { ...process.env, HOME: folder };
      const { status, stdout, stderr } = spawnSync(shell, [...options, text], { encoding: 'utf8', env });
      expect([status, stderr]).toEqual([0, '']);
      const answers = stdout.split('-----\n').map((part) => part.split('\n').map((line) => line.split('\t')[0]));
      for (const [n, [typed, some, none]] of LINES.entries()) {
        expect(answers[n], typed.join(' ')).toEqual(expect.arrayContaining(some));
        for (const word of none) expect(answers[n], typed.join(' ')).not.toContain(word);
      }
    });
  }
});
