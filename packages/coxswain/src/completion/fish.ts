/** Completion for fish. */
import type { CompletionCommand, CompletionOption, CompletionValue } from "./completion-words.ts";

export const fishScript = (commands: readonly CompletionCommand[]): string => `# fish completion for coxswain
function __coxswain_command
  set -l words (commandline -opc)
  if contains -- "$words[2]" ${namesOf(commands).join(" ")}
    echo $words[2]
  else
    echo coxswain
  end
end
complete -c coxswain -f
${commands
  .filter(({ name }) => name !== "")
  .map(({ name, summary }) => `complete -c coxswain -n 'test (count (commandline -opc)) -eq 1' -a ${name} -d ${quoted(summary)}`)
  .join("\n")}
${commands.flatMap(linesOf).join("\n")}
`;

const namesOf = (commands: readonly CompletionCommand[]): string[] => commands.map(({ name }) => name).filter((name) => name !== "");

function linesOf({ name, options, argument, passesOn }: CompletionCommand): string[] {
  const when = `complete -c coxswain -n 'test (__coxswain_command) = ${name === "" ? "coxswain" : name}'`;
  if (passesOn)
    return [`${when} -a '(coxswain ${name} __complete (commandline -opc)[3..-1] (commandline -ct) 2>/dev/null | string match -v ":*")'`];
  const values = argument.kind === "none" || argument.kind === "other" ? [] : [`${when}${valueFlags(argument)}`];
  return [...values, ...options.map((option) => `${when}${flagsOf(option)}${valueFlags(option.value)} -d ${quoted(option.description)}`)];
}

const flagsOf = ({ flags }: CompletionOption): string =>
  flags.map((flag) => (flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`)).join("");

function valueFlags(value: CompletionValue): string {
  switch (value.kind) {
    case "choices":
      return ` -x -a '${value.choices.join(" ")}'`;
    case "file":
      return " -r -F";
    case "folder":
      return " -x -a '(__fish_complete_directories)'";
    case "other":
      return " -x";
    case "none":
      return "";
  }
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
