import { Argument, Command } from 'commander';
import { WAITS } from '../../sandbox/waiting/wait-kinds.js';
import { printLine } from './output.js';
import { TRIGGERS } from './triggers.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Values that may follow a command besides its subcommands. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  trigger: Object.keys(TRIGGERS),
  wait: WAITS,
  completion: SHELLS,
};

/** `understudy completion bash|zsh|fish`: generated from the commands, so it is always complete. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print a script that completes this command in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', '\nExample:\n  source <(understudy completion bash)')
    .action((shell: Shell) => printLine(scripts[shell](wordsOf(program))));
}

/** The words that may follow each command, keyed by the command's full name: `sandbox create`. */
type CommandWords = ReadonlyMap<string, readonly string[]>;

function wordsOf(command: Command, path = ''): CommandWords {
  const names = command.commands.map((each) => each.name());
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  const words = new Map([[path, [...names, ...(ARGUMENTS[path] ?? []), ...options, '--help']]]);
  for (const each of command.commands) {
    for (const [inner, its] of wordsOf(each, `${path} ${each.name()}`.trim())) words.set(inner, [...its]);
  }
  return words;
}

const quoted = (words: readonly string[], between: string): string => words.map((word) => `'${word}'`).join(between);
/** Command names of two words first, then of one; every other word on a line is an argument or an option. */
const paths = (words: CommandWords): string[] => [...words.keys()].filter((path) => path !== '');

const scripts: Record<Shell, (words: CommandWords) => string> = {
  bash: (words) => `_understudy() {
  local at="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
    ${quoted(paths(words), ' | ')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${[...words].map(([path, its]) => `  '${path}') words="${its.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _understudy understudy`,
  zsh: (words) => `#compdef understudy
_understudy() {
  local at="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
    (${quoted(paths(words), ' | ')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${[...words].map(([path, its]) => `  ('${path}') candidates=(${quoted(its, ' ')}) ;;`).join('\n')}
  esac
  compadd -- $candidates
}
# a file of fpath is run as the function itself
if [ "$funcstack[1]" = "_understudy" ]; then
  _understudy "$@"
else
  compdef _understudy understudy
fi`,
  fish: (words) => `function __understudy_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    contains -- "$next" ${quoted(paths(words), ' ')}; and set at "$next"
  end
  test "$at" = "$argv[1]"
end
${[...words].map(([path, its]) => `complete -c understudy -n "__understudy_at '${path}'" -a "${its.join(' ')}"`).join('\n')}`,
};
