/** Where a whole state is, as `coxswain copy` names it: a data directory, or an etcd. */
import { type Command, InvalidArgumentError } from "commander";
import { type EtcdSettings, etcdSettingsOf, type ParsedEtcdOptions } from "./etcd-options.ts";
import { parseList } from "./parse-values.ts";

export type StatePlace = { readonly kind: "directory"; readonly path: string } | { readonly kind: "etcd"; readonly settings: EtcdSettings };

/** `servers`: undefined for those of `--etcd-servers`. */
export type NamedPlace =
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "etcd"; readonly servers: readonly string[] | undefined };

/** A folder, `etcd`, or the URLs of an etcd's members. */
export function parsePlace(text: string): NamedPlace {
  if (text === "") throw new InvalidArgumentError("It must be a data directory, etcd, or URLs of etcd's members.");
  if (text === "etcd") return { kind: "etcd", servers: undefined };
  return /^(?:https?|unixs?):\/\//.test(text) ? { kind: "etcd", servers: parseList(text) } : { kind: "directory", path: text };
}

/** With what the options say of etcd. Ends the command where they do not say where it is. */
export function placeOf(named: NamedPlace, parsed: ParsedEtcdOptions, command: Command): StatePlace {
  if (named.kind === "directory") return named;
  const settings = etcdSettingsOf({ ...parsed, etcdServers: named.servers ?? parsed.etcdServers });
  return settings === undefined ? command.error("error: etcd needs --etcd-servers") : { kind: "etcd", settings };
}
