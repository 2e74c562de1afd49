/** The options of the commands about the past: `history`, `blame`, `diff`, `undo`, `at` and `invariants`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { parseName } from "./instance-name.ts";
import type { SubcommandName } from "./subcommands.ts";

/** Which server is asked. */
export interface PastServerOptions {
  /** One that runs on this machine. */
  readonly name?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** An object, as kubectl names it. */
export interface PastObjectOptions extends PastServerOptions {
  readonly resource: string;
  readonly object: string;
  /** Undefined: that of the context. */
  readonly namespace?: string;
}

export interface ReportOptions extends PastObjectOptions {
  /** Undefined: now. */
  readonly at?: string;
  readonly output: (typeof outputs)[number];
}

export interface HistoryCommandOptions extends ReportOptions {
  readonly limit: number;
}

export interface DiffOptions extends PastObjectOptions {
  readonly from: string;
  /** Undefined: now. */
  readonly to: string | undefined;
}

export interface UndoOptions extends PastObjectOptions {
  /** Undefined: before the last change. */
  readonly to?: string;
  readonly yes?: true;
}

export interface AtOptions extends PastServerOptions {
  readonly moment: string;
  /** What to run; empty to serve until a signal ends it. */
  readonly command: readonly string[];
}

export interface InvariantsOptions extends PastServerOptions {
  /** Undefined: all. */
  readonly invariant: string | undefined;
  readonly output: (typeof outputs)[number];
}

const outputs = ["text", "json"] as const;
export const momentText = "a resourceVersion, a time as RFC 3339 has it, or how long ago, such as 10m";

export const addServerOptions = (command: Command): Command =>
  command
    .addOption(new Option("--name <name>", "ask this server of this machine").argParser(parseName).conflicts(["kubeconfig", "context"]))
    .option("--kubeconfig <file>", "how to reach the server (default: the one that runs here, or else as kubectl finds it)")
    .option("--context <name>", "which context of the kubeconfig (default: the current one)");

const objectCommand = (name: SubcommandName, output: Output, more = ""): Command =>
  addServerOptions(
    baseCommand(name, output)
      .usage(`<resource> <name>${more} [options]`)
      .argument("<resource>", "what kind of object: deployment, deploy, deployments.apps; or with its name: deployment/web")
      .argument("[name]", "its name")
      .option("-n, --namespace <namespace>", "where it is (default: that of the context)"),
  );

const addOutput = (command: Command): Command =>
  command.addOption(new Option("-o, --output <form>", "how to show it").choices(outputs).default("text"));

export const historyCommand = (output: Output): Command =>
  addOutput(
    objectCommand("history", output)
      .description(
        "Show every version of an object, newest first: who wrote it, when, what changed, and which version the write was based on.",
      )
      .option("--limit <number>", "how many versions to show", parseLimit, 20)
      .option("--at <moment>", `begin with the version of then: ${momentText} (default: now)`),
  );

export const blameCommand = (output: Output): Command =>
  addOutput(
    objectCommand("blame", output)
      .description("Show for each field of an object who wrote it last, when, and in which request.")
      .option("--at <moment>", `of the object as it was then: ${momentText} (default: now)`),
  );

export const invariantsCommand = (output: Output): Command =>
  addOutput(
    addServerOptions(
      baseCommand("invariants", output)
        .usage("[name] [options]")
        .argument("[name]", "show the violations of this invariant alone, with the writes that led to them")
        .description("Show which of a server's invariants do not hold or did not hold: since which version, and by whose write."),
    ),
  );

export const diffCommand = (output: Output): Command =>
  objectCommand("diff", output, " <from> [to]")
    .description(
      "Show what differs in an object between two moments. Its exit code is 1 when something does, and above 1 when that is not known.",
    )
    .argument("[moments...]", `from when, and to when: ${momentText} (default of the second: now)`);

export const undoCommand = (output: Output): Command =>
  objectCommand("undo", output)
    .description("Bring an object back to what it was before its last change: shown first, and sent when it is confirmed.")
    .option("--to <moment>", `to what it was then: ${momentText}`)
    .option("--yes", "send it without asking");

export const atCommand = (output: Output): Command =>
  addServerOptions(baseCommand("at", output))
    .usage("[options] <moment> [command]")
    .description(
      "Run a command, such as kubectl, against the state of another moment, which it can read and not change. Without a command, serve that state until a signal ends it.",
    )
    .argument("<moment>", momentText)
    .argument("[command...]", "what to run, with its arguments")
    .passThroughOptions();

export const parseHistoryOptions = (args: readonly string[], output: Output): HistoryCommandOptions =>
  parseObject<HistoryCommandOptions>(historyCommand(output), args).options;

export const parseBlameOptions = (args: readonly string[], output: Output): ReportOptions =>
  parseObject<ReportOptions>(blameCommand(output), args).options;

export function parseInvariantsOptions(args: readonly string[], output: Output): InvariantsOptions {
  const parsed = invariantsCommand(output).parse(args, { from: "user" });
  return { ...parsed.opts<Omit<InvariantsOptions, "invariant">>(), invariant: parsed.args[0] };
}

export const parseUndoOptions = (args: readonly string[], output: Output): UndoOptions =>
  parseObject<UndoOptions>(undoCommand(output), args).options;

export function parseDiffOptions(args: readonly string[], output: Output): DiffOptions {
  const command: Command = diffCommand(output);
  const { options, rest } = parseObject<PastObjectOptions>(command, args, 2);
  const [from, to] = rest;
  if (from === undefined) command.error("error: missing the moment to compare with");
  return { ...options, from, to };
}

export function parseAtOptions(args: readonly string[], output: Output): AtOptions {
  const parsed = atCommand(output).parse(args, { from: "user" });
  const [moment = "", ...command] = parsed.args;
  return { ...parsed.opts<PastServerOptions>(), moment, command };
}

/** The object is named by one word with a slash or by two. */
function parseObject<O extends PastObjectOptions>(
  command: Command,
  args: readonly string[],
  more = 0,
): { readonly options: O; readonly rest: readonly string[] } {
  const words = command.parse(args, { from: "user" }).args;
  const [first = "", second] = words;
  const slash = first.indexOf("/");
  const rest = words.slice(slash < 0 ? 2 : 1);
  const object = slash < 0 ? second : first.slice(slash + 1);
  if (object === undefined || object === "") command.error("error: missing the name of the object");
  if (rest.length > more) command.error(`error: too many arguments: ${rest.slice(more).join(" ")}`);
  return { options: { ...command.opts<O>(), resource: slash < 0 ? first : first.slice(0, slash), object }, rest };
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (!(limit >= 1 && limit <= 500)) throw new InvalidArgumentError("It must be a number from 1 to 500.");
  return limit;
}
