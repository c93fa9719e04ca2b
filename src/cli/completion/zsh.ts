/** Works sourced, after compinit, and as a file `_holdfast` on the fpath. */
export const zshCompletion = `#compdef holdfast
# Completion of holdfast for zsh. Load it, after compinit, with: source <(holdfast completion zsh)
_holdfast() {
  local -a lines described
  local each
  lines=("\${(@f)$("\${(Q)words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case "$lines[1]" in
    :files) _files ;;
    :folders) _files -/ ;;
    *)
      for each in $lines; do
        local word="\${\${each%%$'\\t'*}//:/\\\\:}" meaning="\${each#*$'\\t'}"
        described+=("$word\${meaning:+:$meaning}")
      done
      _describe holdfast described
      ;;
  esac
}
if [[ "\${funcstack[1]-}" == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi
`;
