/** The options of `coxswain token`. Those that kubeadm's command of that name has too are called as there. */
import { join } from "node:path";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { baseCommand, type Environment, type Output } from "./base-command.ts";
import { parseHttpsUrl, parseList } from "./parse-values.ts";
import { parseMilliseconds } from "./standalone-options.ts";
import { defaultDataDir } from "./user-paths.ts";

const actions = ["create", "list", "delete", "generate"] as const;
const outputs = ["text", "json"] as const;
const usages = ["signing", "authentication"];

export interface TokenOptions {
  readonly action: (typeof actions)[number];
  /** To create one of these, or to delete these; ids will do for that. */
  readonly tokens: readonly string[];
  readonly kubeconfig: string;
  readonly context: string | undefined;
  /** Milliseconds; 0: for ever. */
  readonly ttlMs: number;
  readonly usages: readonly string[];
  /** Undefined: the one that may join nodes. */
  readonly groups: readonly string[] | undefined;
  readonly description: string;
  readonly printJoinCommand: boolean;
  /** Undefined: that of the kubeconfig. */
  readonly server: string | undefined;
  readonly output: (typeof outputs)[number];
}

interface Parsed extends Pick<TokenOptions, "kubeconfig" | "usages" | "description" | "output"> {
  readonly context?: string;
  readonly ttl: number;
  readonly groups?: readonly string[];
  readonly printJoinCommand?: boolean;
  readonly server?: string;
}

export const tokenCommand = (output: Output, env: Environment): Command =>
  baseCommand("token", output)
    .usage("create [token]|list|delete <tokens>|generate [options]")
    .description("Make, show or delete the tokens with which nodes join.")
    .addArgument(new Argument("<action>", "what to do").choices(actions))
    .argument("[tokens...]", "which to delete, by their ids or whole, or which to create")
    .option("--kubeconfig <file>", "how to reach the cluster", join(defaultDataDir(env), "kubeconfig"))
    .option("--context <name>", "which of its contexts (default: the current one)")
    .addOption(
      new Option("--ttl <duration>", "how long the token is good; 0: for ever").argParser(parseMilliseconds).default(86_400_000, "24h"),
    )
    .option("--usages <usages>", "what it is good for", parseUsages, usages)
    .option("--groups <groups>", "whom its holder belongs to (default: those who may join nodes)", parseGroups)
    .option("--description <text>", "what people are to know of it", "")
    .option("--print-join-command", "print, instead of the token, what to run on the machine of the new node")
    .option("--server <url>", "where that machine reaches the server (default: that of the kubeconfig)", parseHttpsUrl)
    .addOption(new Option("-o, --output <form>", "how to show them").choices(outputs).default("text"));

export function parseTokenOptions(args: readonly string[], env: Environment, output: Output): TokenOptions {
  const command = tokenCommand(output, env).parse(args, { from: "user" });
  const { context, ttl, groups, printJoinCommand, server, ...parsed } = command.opts<Parsed>();
  const [action, ...tokens] = command.args as [TokenOptions["action"], ...string[]];
  if (action === "delete" && tokens.length === 0) command.error("error: missing the tokens to delete");
  if (tokens.length > (action === "create" ? 1 : action === "delete" ? Number.POSITIVE_INFINITY : 0))
    command.error(`error: too many arguments for ${action}`);
  return { ...parsed, action, tokens, context, ttlMs: ttl, groups, printJoinCommand: printJoinCommand === true, server };
}

function parseUsages(text: string): string[] {
  const chosen = parseList(text);
  if (chosen.length === 0 || chosen.some((usage) => !usages.includes(usage)))
    throw new InvalidArgumentError(`They must be among ${usages.join(", ")}.`);
  return chosen;
}

/** As the server has it: one with another group would be good for nothing. */
function parseGroups(text: string): string[] {
  const groups = parseList(text);
  const wrong = groups.find((group) => !/^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group));
  if (wrong !== undefined) throw new InvalidArgumentError(`${JSON.stringify(wrong)} does not begin with system:bootstrappers:.`);
  return groups;
}
