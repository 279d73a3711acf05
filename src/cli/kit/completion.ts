import { Argument, Command } from 'commander';
import { printLine } from './output.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `understudy completion bash|zsh|fish`: made from the commands themselves, so it knows all of them. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print what a shell needs to complete this command')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', '\nExample:\n  source <(understudy completion bash)')
    .action((shell: Shell) => printLine(scripts[shell](wordsOf(program))));
}

/** The words that may follow each command: subcommands and options, by the words that lead to it. */
function wordsOf(command: Command, path = ''): Map<string, string[]> {
  const names = command.commands.map((each) => each.name());
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  const words = new Map([[path, [...names, ...options, '--help']]]);
  for (const each of command.commands) {
    for (const [inner, its] of wordsOf(each, `${path} ${each.name()}`.trim())) words.set(inner, its);
  }
  return words;
}

const cases = (words: Map<string, string[]>): string =>
  [...words].map(([path, its]) => `    "${path}") words="${its.join(' ')}" ;;`).join('\n');

const scripts: Record<Shell, (words: Map<string, string[]>) => string> = {
  bash: (words) => `_understudy() {
  local path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
${cases(words)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _understudy understudy`,
  zsh: (words) => `#compdef understudy
_understudy() {
  local path="" word words=""
  for word in "\${(@)words_so_far}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
${cases(words)}
  esac
  compadd -- \${=words}
}
_understudy_start() {
  local -a words_so_far
  words_so_far=("\${(@)words[2,CURRENT-1]}")
  _understudy
}
compdef _understudy_start understudy`,
  fish: (words) =>
    [...words]
      .flatMap(([path, its]) =>
        its.map((word) => {
          const condition =
            path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`;
          const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
          return `complete -c understudy -n '${condition}' ${what}`;
        }),
      )
      .join('\n'),
};
