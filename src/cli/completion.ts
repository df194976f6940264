/** What each shell runs at Tab. The program itself knows what may follow, so that these never have to change. */
const SCRIPTS = {
  bash: `_switchboard() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$(printf %q "$line")"); done \\
    < <(switchboard __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _switchboard switchboard
`,
  zsh: `#compdef switchboard
_switchboard() {
  local -a found
  found=("\${(@f)$(switchboard __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
compdef _switchboard switchboard
`,
  fish: `function __switchboard_complete
  set -l words (commandline -opc) (commandline -ct)
  switchboard __complete -- $words[2..] 2>/dev/null
end
complete -c switchboard -a '(__switchboard_complete)'
`,
};

/** `completion`: prints the script of a shell. */
export const printCompletion = (shell: keyof typeof SCRIPTS): boolean => process.stdout.write(SCRIPTS[shell]);
