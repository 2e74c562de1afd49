/** What a shell can complete, taken from the commands themselves. */
import type { Argument, Command, Option } from "commander";

/** What stands behind an option or as an argument. */
export type CompletionValue =
  | { readonly kind: "none" | "file" | "folder" | "other" }
  | { readonly kind: "choices"; readonly choices: readonly string[] };

export interface CompletionOption {
  /** `--output`, and before it `-o` where there is one. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly value: CompletionValue;
}

export interface CompletionCommand {
  /** Empty for the command itself, without one below it. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletionOption[];
  readonly argument: CompletionValue;
  /** Whether it hands the rest to a program, which completes it. */
  readonly passesOn: boolean;
}

export function completionCommandOf(
  command: Command,
  { name, summary }: { readonly name: string; readonly summary: string },
): CompletionCommand {
  const [argument] = command.registeredArguments;
  return {
    name,
    summary,
    options: command.createHelp().visibleOptions(command).map(completionOptionOf),
    argument: argument === undefined ? { kind: "none" } : completionValue(argument, argument.name()),
    passesOn: argument?.variadic === true,
  };
}

function completionOptionOf(option: Option): CompletionOption {
  const [, placeholder] = /[<[]([\w-]+)[>\]]/.exec(option.flags) ?? [];
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
    description: option.description,
    value: placeholder === undefined ? { kind: "none" } : completionValue(option, placeholder),
  };
}

function completionValue({ argChoices }: Pick<Option | Argument, "argChoices">, placeholder: string): CompletionValue {
  if (argChoices !== undefined) return { kind: "choices", choices: argChoices };
  switch (placeholder) {
    case "file":
    case "socket":
      return { kind: "file" };
    case "dir":
      return { kind: "folder" };
    default:
      return { kind: "other" };
  }
}
