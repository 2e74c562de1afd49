/**
 * The file with which clients find the server, trust it and are known to it.
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { writePrivately } from "./private-file.ts";

export interface KubeconfigFacts {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
  /** In PEM: by which the user is known where TLS is spoken; the token is for those who only know tokens. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Further users, each with a context of the same name. */
  readonly others?: readonly { readonly name: string; readonly token: string }[];
  /** Of the cluster and of its context; by default `coxswain`. */
  readonly name?: string;
  /** Of the context; by default `default`. */
  readonly namespace?: string;
  readonly mark?: ServerMark;
}

/** Written into the entry of a cluster, where kubectl keeps what it does not know: which process serves it. */
export interface ServerMark extends ProcessIdentity {
  /** It stands in a file of the user's, beside others. */
  readonly merged?: { readonly previousContext: string };
}

/** Of the extension in the entry of a cluster. */
export const markName = "coxswain";

export const administratorOf = (name: string): string => `${name}-admin`;

/** How the first line begins, now and in earlier versions. */
export const firstWords = "# Written by coxswain at each start";

/** A whole file of coxswain alone. */
export const kubeconfig = ({
  server,
  authority,
  token,
  certificate,
  others = [],
  name = "coxswain",
  namespace,
  mark,
}: KubeconfigFacts): string => `${firstWords}: the entries that have its name. What else is here stays.
apiVersion: v1
kind: Config
clusters:
- name: ${name}
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(authority)}
${mark === undefined ? "" : extensionLines(mark)}users:
- name: ${administratorOf(name)}
  user:
${certificate === undefined ? "" : certificateLines(certificate)}    token: ${token}
${others.map(userEntry).join("")}contexts:
- name: ${name}
  context:
    cluster: ${name}
    user: ${administratorOf(name)}
${namespace === undefined ? "" : `    namespace: ${namespace}\n`}${others.map((user) => contextEntry(user, name)).join("")}current-context: ${name}
`;

/** What a kubeconfig says of the server, of its administrator and of the way to both. */
export const entriesOf = ({ server, authority, token, certificate, name = "coxswain", mark }: KubeconfigFacts) => ({
  cluster: {
    server,
    "certificate-authority-data": base64(authority),
    ...(mark === undefined ? {} : { extensions: [extensionOf(mark)] }),
  },
  user: {
    ...(certificate === undefined
      ? {}
      : { "client-certificate-data": base64(certificate.cert), "client-key-data": base64(certificate.key) }),
    token,
  },
  context: { cluster: name, user: administratorOf(name) },
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const certificateLines = ({ cert, key }: NonNullable<KubeconfigFacts["certificate"]>): string =>
  `    client-certificate-data: ${base64(cert)}\n    client-key-data: ${base64(key)}\n`;

/** JSON is YAML, whatever is in the names. */
const userEntry = ({ name, token }: { readonly name: string; readonly token: string }): string =>
  `- ${JSON.stringify({ name, user: { token } })}\n`;

const contextEntry = ({ name }: { readonly name: string }, cluster: string): string =>
  `- ${JSON.stringify({ name, context: { cluster, user: name } })}\n`;

const extensionLines = (mark: ServerMark): string => `    extensions:\n    - ${JSON.stringify(extensionOf(mark))}\n`;

const extensionOf = (mark: ServerMark): object => ({ name: markName, extension: mark });

const valuesOfStart = /^ {4}(?:(?:server|certificate-authority-data|client-certificate-data|client-key-data|token): .*|- \{.*\})$/gm;

/** Whether nobody has changed a file since one start wrote it: another start then writes the whole of it anew. */
export const isUnaltered = (present: string, next: string): boolean =>
  present.startsWith(firstWords) && present.replaceAll(valuesOfStart, "") === next.replaceAll(valuesOfStart, "");

/** Whatever is there is replaced. */
export function writeKubeconfig(path: string, facts: KubeconfigFacts): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePrivately(path, kubeconfig(facts));
}
