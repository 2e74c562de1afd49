/** Completion for bash 3.2 and later: that is what macOS has. */
import type { CompletionCommand, CompletionValue } from "./completion-words.ts";

export const bashScript = (commands: readonly CompletionCommand[]): string => `# bash completion for coxswain
_coxswain() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  # bash takes --output=json apart at the sign.
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $command in ${namesOf(commands).join("|")}) [[ $COMP_CWORD -gt 1 ]] || command= ;; *) command= ;; esac
  case "$command $prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
complete -F _coxswain coxswain
`;

const namesOf = (commands: readonly CompletionCommand[]): string[] => commands.map(({ name }) => name).filter((name) => name !== "");

function valueCases({ name, options }: CompletionCommand): string[] {
  return options.flatMap(({ flags, value }) =>
    value.kind === "none" ? [] : [`    ${flags.map((flag) => `"${name} ${flag}"`).join("|")}) ${completeValue(value)} return ;;`],
  );
}

function commandCase(command: CompletionCommand, _: number, commands: readonly CompletionCommand[]): string {
  const { name, options, argument, passesOn } = command;
  const flags = options.flatMap((option) => option.flags);
  const words = name === "" ? [...namesOf(commands), "help"] : argument.kind === "choices" ? argument.choices : [];
  const files = argument.kind === "file" || argument.kind === "folder" ? ` ${completeValue(argument)}` : "";
  const ask = passesOn
    ? ` COMPREPLY=( $(compgen -W "$(coxswain ${name} __complete "\${COMP_WORDS[@]:2:COMP_CWORD-2}" "$cur" 2>/dev/null | sed -e '/^:/d' -e 's/\\t.*//')" -- "$cur") );`
    : ` COMPREPLY=( $(compgen -W "${[...words, ...flags].join(" ")}" -- "$cur") );`;
  return `    ${name === "" ? '""' : name})${files}${files === "" ? ask : ` [[ $cur == -* ]] &&${ask}`} ;;`;
}

function completeValue(value: CompletionValue): string {
  switch (value.kind) {
    case "choices":
      return `COMPREPLY=( $(compgen -W "${value.choices.join(" ")}" -- "$cur") );`;
    case "file":
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=( $(compgen -f -- "$cur") );';
    case "folder":
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=( $(compgen -d -- "$cur") );';
    case "none":
    case "other":
      return "";
  }
}
