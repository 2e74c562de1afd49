/**
 * The file with which clients find the server, trust it and are known to it.
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { readIfThere, writePrivately } from "./private-file.ts";
import { StartError } from "./start-error.ts";

export interface KubeconfigFacts {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
  /** Further users, each with a context of the same name. */
  readonly others?: readonly { readonly name: string; readonly token: string }[];
}

const firstLine = "# Written by coxswain at each start; changes are lost.";

export const kubeconfig = ({ server, authority, token, others = [] }: KubeconfigFacts): string => `${firstLine}
apiVersion: v1
kind: Config
clusters:
- name: coxswain
  cluster:
    server: ${server}
    certificate-authority-data: ${Buffer.from(authority).toString("base64")}
users:
- name: coxswain-admin
  user:
    token: ${token}
${others.map(userEntry).join("")}contexts:
- name: coxswain
  context:
    cluster: coxswain
    user: coxswain-admin
${others.map(contextEntry).join("")}current-context: coxswain
`;

/** JSON is YAML, whatever is in the names. */
const userEntry = ({ name, token }: { readonly name: string; readonly token: string }): string =>
  `- ${JSON.stringify({ name, user: { token } })}\n`;

const contextEntry = ({ name }: { readonly name: string }): string =>
  `- ${JSON.stringify({ name, context: { cluster: "coxswain", user: name } })}\n`;

/** @throws StartError when the file has somebody else's settings in it. Call it before anything else is done. */
export function checkKubeconfig(path: string): void {
  const present = readIfThere(path);
  if (present === undefined || present.trim() === "" || present.startsWith(firstLine)) return;
  throw new StartError(`${path} exists and coxswain did not write it; name another file with --kubeconfig`);
}

export function writeKubeconfig(path: string, facts: KubeconfigFacts): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePrivately(path, kubeconfig(facts));
}
