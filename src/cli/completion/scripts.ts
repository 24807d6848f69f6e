export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

// Nothing that is typed or found is ever evaluated: words go to the command as they are, and what comes back is quoted by the shell. The command answers with
// a line that says what kind of thing is wanted (`values`, `files`, `folders`) and then one value a line, with a tab before what it is.

const bash = `# Completion of rondo for bash 4 or later.
_rondo_complete() {
  local line=\${COMP_LINE:0:COMP_POINT} kind= value about gap i
  local -a words=()
  COMPREPLY=()
  # Readline parts words at : and = as well: what stands together is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=\${line%%[![:space:]]*}
    line=\${line#"$gap"}
    value=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && value=$line
    if [[ \${#words[@]} -eq 0 || -n $gap ]]; then words+=("$value"); else words[\${#words[@]} - 1]+=$value; fi
    line=\${line#"$value"}
  done
  local current=\${words[\${#words[@]} - 1]} cut= typed
  typed=\${current//\\/}
  # Readline puts the answer in the place of what follows the last of these.
  if [[ $current != [\\'\\"]* ]]; then
    [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && cut=\${typed%"\${typed##*:}"}
    [[ $COMP_WORDBREAKS == *=* && \${typed#"$cut"} == *=* ]] && cut=\${typed%"\${typed##*=}"}
  fi
  while IFS=$'\\t' read -r value about; do
    if [[ -z $kind ]]; then
      kind=$value
    elif [[ $current == [\\'\\"]* ]]; then
      # Inside quotes only what means nothing there.
      [[ $value == *[\\'\\"\\\\\\$\\\`\\!]* ]] || COMPREPLY+=("$value")
    else
      printf -v value %q "\${value:\${#cut}}"
      COMPREPLY+=("$value")
    fi
  done < <(command rondo __complete bash -- "\${words[@]:1}" 2>/dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
  esac
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[:=,] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _rondo_complete rondo
`

const zsh = `#compdef rondo
# Completion of rondo for zsh.
_rondo() {
  local line value
  local -a lines values shown open open_shown
  lines=("\${(@f)$(command rondo __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  case $lines[1] in
    files) _files; return ;;
    folders) _files -/; return ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\\t'*}
    [[ -n $value ]] || continue
    line=\${line/$'\\t'/  -- }
    # After these one goes on typing.
    if [[ $value == *[:=,] ]]; then open+=("$value"); open_shown+=("$line"); else values+=("$value"); shown+=("$line"); fi
  done
  (( $#open )) && compadd -l -d open_shown -S '' -a open
  (( $#values )) && compadd -l -d shown -a values
  (( $#open + $#values ))
}
if [[ $funcstack[1] == _rondo ]]; then _rondo "$@"; else compdef _rondo rondo; fi
`

const fish = `# Completion of rondo for fish.
function __rondo_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (command rondo __complete fish -- $words "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current" ''
        case values
            set -e lines[1]
            printf '%s\\n' $lines
    end
end
complete -c rondo -f -k -a '(__rondo_complete)'
`

export const scripts: { readonly [shell in Shell]: string } = { bash, zsh, fish }
