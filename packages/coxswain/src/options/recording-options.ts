/** The options of `record` and `replay`. */
import { parseGoDuration } from "@coxswain/machinery";
import { type Command, InvalidArgumentError, Option } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { parseList } from "./parse-values.ts";
import { addServerOptions, momentText, type PastServerOptions } from "./past-options.ts";

export interface RecordOptions extends PastServerOptions {
  readonly out: string;
  /** Moments; undefined: from now on. */
  readonly from?: string;
  readonly to?: string;
  readonly since?: string;
  /** Milliseconds. */
  readonly for?: number;
  readonly namespace?: readonly string[];
  readonly resources?: readonly string[];
  readonly withSecrets?: true;
  readonly why?: string;
}

export interface ReplayOptions {
  readonly file: string;
  /** What to run against a moment of the recording; empty to show all of it in a browser. */
  readonly command: readonly string[];
  readonly at?: string;
  /** A controller's module. */
  readonly against?: string;
  readonly as?: string;
  readonly manager?: string;
  readonly until?: string;
  readonly output: (typeof outputs)[number];
}

const outputs = ["text", "json"] as const;
const collected = (text: string, before: readonly string[] = []): readonly string[] => [...before, ...parseList(text)];

export const recordCommand = (output: Output): Command =>
  addServerOptions(baseCommand("record", output))
    .usage("--out <file> [options]")
    .description(
      "Write what happens in a cluster into a file: the state at the beginning, every write with who made it, conflicts. From now on until Ctrl-C, or for as long, or of a time that has passed. It has what its user may list; values of Secrets are replaced.",
    )
    .requiredOption("--out <file>", "where to write it; nothing may be there")
    .addOption(new Option("--since <duration>", "begin so long ago, such as 10m, and end now").conflicts("from"))
    .option("--from <moment>", `begin then, and end now: ${momentText}`)
    .option("--to <moment>", `end then: ${momentText}`)
    .addOption(new Option("--for <duration>", "end so long from now, such as 60s").argParser(parseDuration).conflicts("to"))
    .addOption(
      new Option("-n, --namespace <namespaces>", "of these namespaces alone, separated by commas (default: all)").argParser(collected),
    )
    .addOption(new Option("--resources <resources>", "of these resources alone, separated by commas (default: all)").argParser(collected))
    .option("--with-secrets", "keep the values of Secrets")
    .option("--why <text>", "what is recorded, for who reads it");

export const replayCommand = (output: Output): Command =>
  baseCommand("replay", output)
    .usage("<file> [options] [command]")
    .description(
      "Show a recording in a browser. With a command, such as kubectl, run that against a moment of it. With --against, run a controller against it: what all others wrote is written again, in virtual time, and what the controller writes is compared with what the recorded one wrote. The exit code then is 1 when the failure comes again.",
    )
    .argument("<file>", "what coxswain record, or a test, has written")
    .argument("[command...]", "what to run, with its arguments")
    .option(
      "--at <moment>",
      "the moment that a command sees: a resourceVersion, a time as RFC 3339 has it, or how long before the end, such as 10m (default: the end)",
    )
    .option("--against <module>", "the controller, a module whose default export is one, or a function of a client and a signal")
    .option("--as <user>", "who the recorded controller was, by its user (default: found out where that is clear)")
    .option("--manager <name>", "who the recorded controller was, by its field manager")
    .option(
      "--until <moment>",
      "the step to end with: a resourceVersion, or a time (default: the failure that the recording names, or its end)",
    )
    .addOption(new Option("-o, --output <form>", "how to show what came of it").choices(outputs).default("text"))
    .passThroughOptions();

export const parseRecordOptions = (args: readonly string[], output: Output): RecordOptions =>
  recordCommand(output).parse(args, { from: "user" }).opts<RecordOptions>();

export function parseReplayOptions(args: readonly string[], output: Output): ReplayOptions {
  const command: Command = replayCommand(output);
  const [file = "", ...rest] = command.parse(withFileLast(args, command), { from: "user" }).args;
  return { ...command.opts<Omit<ReplayOptions, "file" | "command">>(), file, command: rest };
}

/** Options stand before the file or behind it; what comes behind the first word of a command is the command's. */
function withFileLast(args: readonly string[], command: Command): string[] {
  const valued = new Set(command.options.filter(({ required }) => required).flatMap(({ short, long }) => [short, long]));
  let file: number | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (valued.has(word)) at++;
    else if (!word.startsWith("-") && file === undefined) file = at;
    else if (!word.startsWith("-") || word === "--") break;
  }
  if (file === undefined) return [...args];
  return [...args.slice(0, file), ...args.slice(file + 1, at), args[file] ?? "", ...args.slice(args[at] === "--" ? at + 1 : at)];
}

function parseDuration(text: string): number {
  const duration = parseGoDuration(text);
  if (typeof duration === "string" || duration <= 0) throw new InvalidArgumentError("It must be a duration such as 60s or 10m.");
  return duration;
}
