/** The arguments of the recorder and of the comparison: `--against URL --token T` or `--kubeconfig FILE`, and scenarios. */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { chooseAccess } from "@coxswain/client";
import { loadKubeconfig } from "@coxswain/client/node";
import { messageOf } from "@coxswain/machinery";
import { scenarioNames } from "./scenario.ts";
import type { ServerAccess } from "./server.ts";

export interface CommandLine {
  readonly access: ServerAccess | undefined;
  /** All of them unless some are named. */
  readonly scenarios: readonly string[];
  readonly flags: ReadonlySet<string>;
}

/** Runs `main` with the arguments of this process; of what goes wrong it prints the message. */
export async function runCommandLine(main: (line: CommandLine) => Promise<void>, flagNames: readonly string[] = []): Promise<void> {
  try {
    await main(await readCommandLine(process.argv.slice(2), flagNames));
  } catch (error) {
    process.exitCode = 1;
    console.error(messageOf(error));
  }
}

/** @throws Error that says what is wrong with the arguments */
async function readCommandLine(args: readonly string[], flagNames: readonly string[]): Promise<CommandLine> {
  const flagOptions = Object.fromEntries(flagNames.map((name) => [name, { type: "boolean" as const }]));
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { against: { type: "string" }, token: { type: "string" }, kubeconfig: { type: "string" }, ...flagOptions },
  });
  const known = scenarioNames();
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`there is no scenario ${unknown.join(", ")}; there are ${known.join(", ")}`);
  const { against, token, kubeconfig } = values;
  const access = against === undefined && kubeconfig === undefined ? undefined : await accessOf({ against, token, kubeconfig });
  const flags = new Set(flagNames.filter((name) => (values as Record<string, unknown>)[name] === true));
  return { access, scenarios: positionals.length > 0 ? positionals : known, flags };
}

interface AccessOptions {
  readonly against: string | undefined;
  readonly token: string | undefined;
  readonly kubeconfig: string | undefined;
}

async function accessOf({ against, token, kubeconfig }: AccessOptions): Promise<ServerAccess> {
  if (kubeconfig === undefined) return { url: withoutSlash(against ?? ""), token };
  const { cluster, user } = chooseAccess(await loadKubeconfig({ paths: [kubeconfig] }));
  if (user.exec !== undefined) throw new Error(`${kubeconfig}: credential plugins are not supported here; use --token`);
  const pem = async (data: Uint8Array | undefined, path: string): Promise<string> =>
    data === undefined ? readFile(path, "utf8") : Buffer.from(data).toString();
  const hasCertificate = user.clientCertificateData !== undefined || user.clientCertificate !== "";
  return {
    url: withoutSlash(against ?? cluster.server),
    token: token ?? (user.token || undefined),
    certificate: hasCertificate
      ? { cert: await pem(user.clientCertificateData, user.clientCertificate), key: await pem(user.clientKeyData, user.clientKey) }
      : undefined,
  };
}

const withoutSlash = (url: string): string => url.replace(/\/$/, "");
