export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** For each command's path (`state rewind`, empty for the program) the words that may follow. */
export type WordsOf = readonly {
  readonly path: string
  readonly words: readonly string[]
  readonly descriptions: Readonly<Record<string, string>>
}[]

export function renderCompletion(shell: Shell, commands: WordsOf): string {
  if (shell === 'bash') return bash(commands)
  return shell === 'zsh' ? zsh(commands) : fish(commands)
}

/** The longest path that the typed words begin with decides what may follow. */
function bash(commands: WordsOf): string {
  return `# plimsoll completion for bash: eval "$(plimsoll completion bash)"
_plimsoll() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${pathCases(commands, '      ')}
    esac
  done
  local words=""
  case "$path" in
${wordCases(commands, '    ', 'words')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _plimsoll plimsoll`
}

function zsh(commands: WordsOf): string {
  return `#compdef plimsoll
# plimsoll completion for zsh: eval "$(plimsoll completion zsh)"
_plimsoll() {
  local path_typed="" word list=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_typed $word" in
${pathCases(commands, '      ').replaceAll('path=', 'path_typed=')}
    esac
  done
  case "$path_typed" in
${wordCases(commands, '    ', 'list')}
  esac
  compadd -- \${=list} || _files
}
compdef _plimsoll plimsoll`
}

const pathCases = (commands: WordsOf, indent: string): string =>
  commands
    .filter(({ path }) => path !== '')
    .map(({ path }) => `${indent}"${path.includes(' ') ? path : ` ${path}`}") path="${path}" ;;`)
    .join('\n')

const wordCases = (commands: WordsOf, indent: string, name: string): string =>
  commands.map(({ path, words }) => `${indent}"${path}") ${name}="${words.join(' ')}" ;;`).join('\n')

function fish(commands: WordsOf): string {
  const lines = commands.flatMap(({ path, words, descriptions }) => {
    const condition = fishCondition(path, commands)
    return words.map((word) => {
      const kind = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c plimsoll -n '${condition}' ${kind} -d ${quote(descriptions[word] ?? '')}`
    })
  })
  return ['# plimsoll completion for fish: plimsoll completion fish | source', ...lines].join('\n')
}

function fishCondition(path: string, commands: WordsOf): string {
  const depth = path === '' ? 0 : path.split(' ').length
  const children = commands
    .filter(
      (each) =>
        each.path !== '' &&
        (path === '' || each.path.startsWith(`${path} `)) &&
        each.path.split(' ').length === depth + 1,
    )
    .map((each) => each.path.split(' ').at(-1)!)
  const seen = path
    .split(' ')
    .filter(Boolean)
    .map((word) => `__fish_seen_subcommand_from ${word}`)
  if (children.length > 0) seen.push(`not __fish_seen_subcommand_from ${children.join(' ')}`)
  return seen.length === 0 ? 'true' : seen.join('; and ')
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
