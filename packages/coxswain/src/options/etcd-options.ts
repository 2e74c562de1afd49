/** The etcd that state is kept in: options that are called as kube-apiserver's. */
import type { Command } from "commander";
import { parseList } from "./parse-values.ts";

/** Which etcd, and how servers and it know each other; the files are not read yet. */
export interface EtcdSettings {
  /** URLs of the members. */
  readonly servers: readonly string[];
  /** What keys begin with. */
  readonly prefix: string;
  /** PEM files: by whom members' certificates are signed, and the certificate and key of this server. */
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

export interface ParsedEtcdOptions {
  readonly etcdServers: readonly string[];
  readonly etcdPrefix: string;
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
}

export const addEtcdOptions = (command: Command): Command =>
  command
    .option(
      "--etcd-servers <urls>",
      "keep the state in this etcd, which other servers may share: its members, with commas in between",
      parseList,
      [],
    )
    .option("--etcd-prefix <path>", "what all keys in etcd begin with", "/registry")
    .option("--etcd-cafile <file>", "who signs the certificates of etcd's members")
    .option("--etcd-certfile <file>", "the certificate by which etcd knows this server")
    .option("--etcd-keyfile <file>", "the key of that certificate");

/** Undefined where the state is in the data directory, or in memory. */
export const etcdSettingsOf = (parsed: ParsedEtcdOptions): EtcdSettings | undefined =>
  parsed.etcdServers.length === 0
    ? undefined
    : {
        servers: parsed.etcdServers,
        prefix: parsed.etcdPrefix,
        ...{ caFile: parsed.etcdCafile, certFile: parsed.etcdCertfile, keyFile: parsed.etcdKeyfile },
      };
