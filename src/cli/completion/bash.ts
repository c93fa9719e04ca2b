/**
 * Works without the package bash-completion. The words are taken from the line, since bash has cut them at each `:` and
 * `=`; what it has cut off in front stays on the line, so that it is taken off the answers.
 */
export const bashCompletion = `# Completion of holdfast for bash. Load it with: source <(holdfast completion bash)
_holdfast() {
  local line="\${COMP_LINE:0:COMP_POINT}" current="\${COMP_WORDS[COMP_CWORD]}"
  local -a words lines
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  local word="\${words[\${#words[@]}-1]}"
  [[ "$current" == [:=] ]] && current=""
  COMPREPLY=()
  mapfile -t lines < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
  case "\${lines[0]-}" in
    :files)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      ;;
    :folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      ;;
    *)
      local before="\${word%"$current"}" each
      for each in "\${lines[@]%%$'\\t'*}"; do
        [[ -n "$each" ]] && COMPREPLY+=("\${each#"$before"}")
      done
      ;;
  esac
}
complete -F _holdfast holdfast
`;
