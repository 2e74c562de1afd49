/**
 * The file with which clients find the server, trust it and are known to it.
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../process/start-error.ts";
import { readIfThere, writePrivately } from "./private-file.ts";

export interface KubeconfigFacts {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
  /** In PEM: by which the user is known where TLS is spoken; the token is for those who only know tokens. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Further users, each with a context of the same name. */
  readonly others?: readonly { readonly name: string; readonly token: string }[];
}

const firstLine = "# Written by coxswain at each start; changes are lost.";

export const kubeconfig = ({ server, authority, token, certificate, others = [] }: KubeconfigFacts): string => `${firstLine}
apiVersion: v1
kind: Config
clusters:
- name: coxswain
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(authority)}
users:
- name: coxswain-admin
  user:
${certificate === undefined ? "" : certificateLines(certificate)}    token: ${token}
${others.map(userEntry).join("")}contexts:
- name: coxswain
  context:
    cluster: coxswain
    user: coxswain-admin
${others.map(contextEntry).join("")}current-context: coxswain
`;

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const certificateLines = ({ cert, key }: NonNullable<KubeconfigFacts["certificate"]>): string =>
  `    client-certificate-data: ${base64(cert)}\n    client-key-data: ${base64(key)}\n`;

/** JSON is YAML, whatever is in the names. */
const userEntry = ({ name, token }: { readonly name: string; readonly token: string }): string =>
  `- ${JSON.stringify({ name, user: { token } })}\n`;

const contextEntry = ({ name }: { readonly name: string }): string =>
  `- ${JSON.stringify({ name, context: { cluster: "coxswain", user: name } })}\n`;

/** @throws StartError when the file has settings of other clusters in it. Call it before anything else is done. */
export function checkKubeconfig(path: string): void {
  const present = readIfThere(path);
  if (present === undefined || present.trim() === "" || present.startsWith(firstLine)) return;
  throw new StartError(`${path} exists and coxswain did not write it; name another file with --kubeconfig`);
}

export function writeKubeconfig(path: string, facts: KubeconfigFacts): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePrivately(path, kubeconfig(facts));
}
