/** `--against URL --token T` or `--kubeconfig FILE` on the command line of the recorder, and who that is. */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { chooseAccess } from "@coxswain/client";
import { loadKubeconfig } from "@coxswain/client/node";
import { isArray, parseJson, valueAt } from "./json.ts";
import { scenarioNames } from "./scenario.ts";
import type { Server, ServerAccess } from "./server.ts";

export interface CommandLine {
  readonly access: ServerAccess | undefined;
  /** All of them unless some are named. */
  readonly scenarios: readonly string[];
  readonly flags: ReadonlySet<string>;
}

/** @throws Error that says what is wrong with the arguments */
export async function readCommandLine(args: readonly string[], flagNames: readonly string[] = []): Promise<CommandLine> {
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
  if (kubeconfig === undefined) return { url: against ?? "", token };
  const { cluster, user } = chooseAccess(await loadKubeconfig({ paths: [kubeconfig] }));
  if (user.exec !== undefined) throw new Error(`${kubeconfig}: credential plugins are not supported here; use --token`);
  const pem = async (data: Uint8Array | undefined, path: string): Promise<string> =>
    data === undefined ? readFile(path, "utf8") : Buffer.from(data).toString();
  const hasCertificate = user.clientCertificateData !== undefined || user.clientCertificate !== "";
  return {
    url: (against ?? cluster.server).replace(/\/$/, ""),
    token: token ?? (user.token || undefined),
    certificate: hasCertificate
      ? { cert: await pem(user.clientCertificateData, user.clientCertificate), key: await pem(user.clientKeyData, user.clientKey) }
      : undefined,
  };
}

/** @throws Error unless the user is in `system:masters`: with fewer rights, answers tell about rights instead of rules */
export async function requireAdministrator(server: Server): Promise<void> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { status, text } = await server.send({ method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body });
  if (status !== 201) throw new Error(`the server does not say who asks: ${status} ${text.slice(0, 300)}`);
  const user = valueAt(parseJson(text), "status.userInfo");
  const groups = valueAt(user, "groups");
  if (isArray(groups) && groups.includes("system:masters")) return;
  throw new Error(`the user ${valueAt(user, "username")} is not in the group system:masters (but in ${JSON.stringify(groups)})`);
}
