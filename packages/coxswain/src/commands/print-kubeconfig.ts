/** `coxswain kubeconfig`: for whoever takes it out of a container that has no other program in it, and for users and components of their own. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, parseYaml, stringifyYaml, systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair, issuerOf } from "@coxswain/pki/node";
import type { Command } from "commander";
import { baseCommand, type Environment, type Output } from "../options/base-command.ts";
import { addAuthorityOptions, type ParsedAuthorityOptions } from "../options/certificate-options.ts";
import { parseHttpsUrl, parseList } from "../options/parse-values.ts";
import { defaultDataDir } from "../options/user-paths.ts";
import { parseCommandLine } from "../process/process.ts";

interface Parsed extends ParsedAuthorityOptions {
  readonly kubeconfig: string;
  readonly server?: string;
  readonly clientName?: string;
  readonly org?: readonly string[];
  readonly certDir?: string;
}

export const kubeconfigCommand = (output: Output, env: Environment): Command =>
  addAuthorityOptions(baseCommand("kubeconfig", output))
    .description("Print the kubeconfig of the administrator, or one for another user.")
    .option("--kubeconfig <file>", "the one that the server has written", join(defaultDataDir(env), "kubeconfig"))
    .option("--server <url>", "where its reader reaches the server: https://coxswain.team-a.svc:6443", parseHttpsUrl)
    .option(
      "--client-name <name>",
      "for this user instead, by a certificate that is good for a year: system:kube-scheduler, system:node:NAME, jane",
    )
    .option("--org <names>", "the groups of that user: system:nodes", parseList)
    .option("--cert-dir <directory>", "where the server keeps its authority (default: pki beside the kubeconfig)");

/** Prints the administrator's kubeconfig or another user's, for the server by another of its names if one is given. */
export async function runKubeconfigCommand(args: readonly string[]): Promise<void> {
  const command = parseCommandLine((output) => kubeconfigCommand(output, process.env).parse(args, { from: "user" }));
  if (command === undefined) return;
  const parsed = command.opts<Parsed>();
  const { kubeconfig, server, clientName } = parsed;
  try {
    const text = readFileSync(kubeconfig, "utf8");
    if (server === undefined && clientName === undefined) return void process.stdout.write(text);
    const own = withServer((await parseYaml(text)) as Kubeconfig, server);
    process.stdout.write(await stringifyYaml(clientName === undefined ? own : forClient(own, clientName, parsed)));
  } catch (error) {
    process.stderr.write(`coxswain: cannot read the kubeconfig: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
}

const withServer = ({ clusters, ...rest }: Kubeconfig, server: string | undefined): Kubeconfig => ({
  ...rest,
  clusters: server === undefined ? clusters : clusters.map((one) => ({ ...one, cluster: { ...one.cluster, server } })),
});

/** Without the administrator. The first cluster is the server's own. */
function forClient({ clusters: [own] }: Kubeconfig, user: string, parsed: Parsed): object {
  if (own === undefined) throw new Error("it has no cluster");
  const { name } = own;
  const { kubeconfig, certDir = join(dirname(kubeconfig), "pki"), org = [] } = parsed;
  const { clusterSigningCertFile: certFile = join(certDir, "ca.crt"), clusterSigningKeyFile: keyFile = join(certDir, "ca.key") } = parsed;
  const authority = issuerOf({ cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") });
  const { cert, key } = issuePair(authority, { subject: nameWith(user, org), usage: "client auth" }, systemClock.now());
  const context = `${user}@${name}`;
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [own],
    users: [{ name: user, user: { "client-certificate-data": base64(cert), "client-key-data": base64(key) } }],
    contexts: [{ name: context, context: { cluster: name, user } }],
    "current-context": context,
  };
}

const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
