/** Completion for zsh: sourced behind compinit, or as a file `_coxswain` in a folder of fpath. */
import type { CompletionCommand, CompletionValue } from "./completion-words.ts";

export const zshScript = (commands: readonly CompletionCommand[]): string => `#compdef coxswain
_coxswain() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} command=\${words[2]}
  local -a known
  if [[ $cur == --*=* ]]; then prev=\${cur%%=*}; compset -P '*='; fi
  case $command in ${namesOf(commands).join("|")}) (( CURRENT > 2 )) || command= ;; *) command= ;; esac
  case "$command $prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
if [[ \${funcstack[1]} == _coxswain ]]; then _coxswain "$@"; else compdef _coxswain coxswain; fi
`;

const namesOf = (commands: readonly CompletionCommand[]): string[] => commands.map(({ name }) => name).filter((name) => name !== "");

function valueCases({ name, options }: CompletionCommand): string[] {
  return options.flatMap(({ flags, value }) =>
    value.kind === "none" ? [] : [`    ${flags.map((flag) => `"${name} ${flag}"`).join("|")}) ${completeValue(value)} return ;;`],
  );
}

function commandCase({ name, options, argument, passesOn }: CompletionCommand, _: number, all: readonly CompletionCommand[]): string {
  if (passesOn)
    return `    ${name}) known=(\${(f)"$(coxswain ${name} __complete "\${(@)words[3,CURRENT-1]}" "$cur" 2>/dev/null | sed -e '/^:/d' -e 's/\\t.*//')"}); compadd -a known ;;`;
  const described = options.flatMap(({ flags, description }) => flags.map((flag) => item(flag, description)));
  const below = name === "" ? all.filter((one) => one.name !== "").map((one) => item(one.name, one.summary)) : [];
  const files = argument.kind === "none" || argument.kind === "other" ? "" : ` [[ $cur == -* ]] || { ${completeValue(argument)} };`;
  const commands = below.length === 0 ? "" : ` known=(${below.join(" ")}); _describe command known;`;
  return `    ${name === "" ? "''" : name})${files}${commands} known=(${described.join(" ")}); _describe -o option known ;;`;
}

/** A colon parts a word from its description. */
const item = (word: string, description: string): string =>
  `'${word.replaceAll(":", "\\:")}:${description.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`;

function completeValue(value: CompletionValue): string {
  switch (value.kind) {
    case "choices":
      return `compadd -- ${value.choices.join(" ")};`;
    case "file":
      return "_files;";
    case "folder":
      return "_files -/;";
    case "none":
    case "other":
      return "";
  }
}
