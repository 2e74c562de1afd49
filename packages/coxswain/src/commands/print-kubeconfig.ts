/** `coxswain kubeconfig`: for whoever takes it out of a container that has no other program in it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, parseYaml, stringifyYaml } from "@coxswain/machinery";
import { type Command, InvalidArgumentError } from "commander";
import { baseCommand, type Environment, type Output } from "../options/base-command.ts";
import { defaultDataDir } from "../options/cluster-options.ts";
import { parseCommandLine } from "../process/process.ts";

interface Parsed {
  readonly kubeconfig: string;
  readonly server?: string;
}

export const kubeconfigCommand = (output: Output, env: Environment): Command =>
  baseCommand("kubeconfig", output)
    .description("Print the kubeconfig of the administrator.")
    .option("--kubeconfig <file>", "the one that the server has written", join(defaultDataDir(env), "kubeconfig"))
    .option("--server <url>", "where its reader reaches the server: https://coxswain.team-a.svc:6443", parseUrl);

/** Prints the administrator's kubeconfig, for the server by another of its names if one is given. */
export async function runKubeconfigCommand(args: readonly string[]): Promise<void> {
  const command = parseCommandLine((output) => kubeconfigCommand(output, process.env).parse(args, { from: "user" }));
  if (command === undefined) return;
  const { kubeconfig, server } = command.opts<Parsed>();
  try {
    const text = readFileSync(kubeconfig, "utf8");
    process.stdout.write(server === undefined ? text : await withServer((await parseYaml(text)) as Kubeconfig, server));
  } catch (error) {
    process.stderr.write(`coxswain: cannot read the kubeconfig: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
}

const withServer = ({ clusters, ...rest }: Kubeconfig, server: string): Promise<string> =>
  stringifyYaml({ ...rest, clusters: clusters.map((one) => ({ ...one, cluster: { ...one.cluster, server } })) });

function parseUrl(text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== "https:")
    throw new InvalidArgumentError("It must be a URL that begins with https://.");
  return text;
}
