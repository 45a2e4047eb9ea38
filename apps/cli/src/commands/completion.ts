import { Argument, type Command, type Option } from 'commander';
import { suggestionsFor } from '../options/suggestions.js';
import type { Session } from '../session.js';

const EXAMPLES = ['source <(allot completion bash)', 'source <(allot completion zsh)'];

/** Scripts for shells, made of the commands and options that there are. */
export function completionCommand(session: Session): Command {
  return session
    .command('completion', 'A script that completes commands and options in a shell', EXAMPLES)
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh']))
    .action(async (shell: 'bash' | 'zsh', options: object, command: Command) => {
      const program = command.parent!;
      await session.screen(options).print(shell === 'bash' ? bashScript(program) : zshScript(program));
    });
}

function bashScript(program: Command): string {
  const names = commandNames(program);
  const cases = program.commands.map((command) => {
    const options = optionsOf(command);
    const values = bashValues(options);
    return `    ${command.name()})
      case "$previous" in
${values.map((line) => `        ${line}\n`).join('')}      esac
      options=${quoted(options.flatMap(flagsOf).join(' '))}
      words=${quoted(argumentWords(command).join(' '))}
      ;;`;
  });
  return `# Completion of allot for bash: source <(allot completion bash)
_allot() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command= options= words= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ "\${COMP_WORDS[i]}" != -* ]]; then command="\${COMP_WORDS[i]}"; break; fi
  done
  case "$command" in
    "")
      COMPREPLY=(${compgen(quoted([...names, '--help', '--version'].join(' ')))})
      return
      ;;
${cases.join('\n')}
    help) words=${quoted(names.join(' '))} ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=(${compgen('"$options"')})
  elif [[ -n "$words" ]]; then
    COMPREPLY=(${compgen('"$words"')})
  else
    compopt -o default 2>/dev/null
  fi
}
complete -F _allot allot
`;
}

/** The cases of a `case` on the option before; after one whose values are not known there is nothing to offer. */
function bashValues(options: readonly Option[]): string[] {
  const valued = options.filter(takesValue);
  const offering = valued.flatMap((option) => {
    const values = suggestionsFor(option);
    if (values.length === 0) return [];
    const offer =
      values === 'files' ? 'compopt -o default 2>/dev/null' : `COMPREPLY=(${compgen(quoted(values.join(' ')))})`;
    return [`${flagsOf(option).join('|')}) ${offer}; return ;;`];
  });
  const silent = valued.filter((option) => suggestionsFor(option).length === 0).flatMap(flagsOf);
  return silent.length === 0 ? offering : [...offering, `${silent.join('|')}) return ;;`];
}

function compgen(words: string): string {
  return `$(compgen -W ${words} -- "$current")`;
}

function zshScript(program: Command): string {
  const described = program.commands.map((command) => quoted(`${command.name()}:${command.description()}`));
  const cases = program.commands.map((command) => {
    const specs = optionsOf(command).map(zshOption);
    const words = argumentWords(command);
    const argument = words.length > 0 ? `*:argument:(${words.join(' ')})` : '*:file:_files';
    return `    ${command.name()})
      _arguments -s \\
        ${[...specs, quoted(argument)].join(' \\\n        ')}
      ;;`;
  });
  return `#compdef allot
# Completion of allot for zsh: source <(allot completion zsh), or this file as _allot in a folder of $fpath
_allot() {
  local -a commands
  commands=(
    ${[...described, quoted('help:Help for a command')].join('\n    ')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands 'command' commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
    help) _arguments ${quoted(`*:command:(${commandNames(program).join(' ')})`)} ;;
  esac
}
if [[ "\${funcstack[1]}" == _allot ]]; then _allot "$@"; else compdef _allot allot; fi
`;
}

/** One option of `_arguments`: all of its flags, its description and what its value is. */
function zshOption(option: Option): string {
  const flags = flagsOf(option);
  const description = option.description.replace(/[[\]:\\]/g, '\\$&');
  const values = suggestionsFor(option);
  const value = !takesValue(option)
    ? ''
    : `:value:${values === 'files' ? '_files' : values.length > 0 ? `(${values.join(' ')})` : ' '}`;
  return flags.map((flag) => quoted(`*${flag}[${description}]${value}`)).join(' ');
}

function optionsOf(command: Command): Option[] {
  return [...command.createHelp().visibleOptions(command)];
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag !== undefined && flag !== null);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function argumentWords(command: Command): readonly string[] {
  return command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
}

function commandNames(program: Command): string[] {
  return [...program.commands.map((command) => command.name()), 'help'];
}

/** A word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
