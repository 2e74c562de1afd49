/** The options of the commands for servers that run: `status`, `stop`, `kubectl`; and `completion`, which asks nothing of them. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { parseName } from "./instance-name.ts";

/** Undefined: the default one, or the only one. */
interface InstanceOptions {
  readonly name?: string;
}

export interface StatusOptions extends InstanceOptions {
  readonly output: (typeof outputs)[number];
}

export interface StopOptions extends InstanceOptions {
  /** Seconds. */
  readonly timeout: number;
}

export interface KubectlOptions extends InstanceOptions {
  /** For kubectl, as they came. */
  readonly args: readonly string[];
}

const outputs = ["text", "json"] as const;
const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export const statusCommand = (output: Output): Command =>
  baseCommand("status", output)
    .description("Show the servers that run. Its exit code is 0 when all that are shown are ready, and else 1.")
    .option("--name <name>", "this one alone", parseName)
    .addOption(new Option("-o, --output <form>", "how to show them").choices(outputs).default("text"));

export const stopCommand = (output: Output): Command =>
  baseCommand("stop", output)
    .description("End a server in order, and wait until it has ended.")
    .option("--name <name>", "which one (default: the default one, or the only one that runs)", parseName)
    .option("--timeout <seconds>", "how long to wait for its end", parseSeconds, 30);

export const kubectlCommand = (output: Output): Command =>
  baseCommand("kubectl", output)
    .usage("[--name <name>] <arguments of kubectl>")
    .description("Run kubectl with the kubeconfig of a server that runs. Its own options stand before kubectl's.")
    .option("--name <name>", "which one (default: the default one, or the only one that runs)", parseName)
    .argument("[arguments...]", "what kubectl is given");

export const completionCommand = (output: Output): Command =>
  baseCommand("completion", output)
    .description("Print a script that lets a shell complete commands and options.")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText(
      "after",
      `
bash: source <(coxswain completion bash)
zsh:  source <(coxswain completion zsh)
fish: coxswain completion fish | source`,
    );

export const parseStatusOptions = (args: readonly string[], output: Output): StatusOptions =>
  statusCommand(output).parse(args, { from: "user" }).opts<StatusOptions>();

export const parseStopOptions = (args: readonly string[], output: Output): StopOptions =>
  stopCommand(output).parse(args, { from: "user" }).opts<StopOptions>();

export function parseKubectlOptions(args: readonly string[], output: Output): KubectlOptions {
  const own = ownWords(args);
  const command = kubectlCommand(output).parse(args.slice(0, own), { from: "user" });
  return { ...command.opts<InstanceOptions>(), args: args.slice(own) };
}

/** How many words at the beginning are for coxswain: kubectl has no option `--name` in that place. */
function ownWords(args: readonly string[]): number {
  const [first = ""] = args;
  const length = first === "--name" ? 2 : first.startsWith("--name=") || first === "-h" || first === "--help" ? 1 : 0;
  return length === 0 ? 0 : length + ownWords(args.slice(length));
}

export const parseShell = (args: readonly string[], output: Output): Shell =>
  completionCommand(output).parse(args, { from: "user" }).args[0] as Shell;

function parseSeconds(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds >= 0)) throw new InvalidArgumentError("It must be a number of seconds.");
  return seconds;
}
