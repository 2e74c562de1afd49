/** The kubeconfig of a server: its own entries are written at each start, and what a user has added stays. */
import type { Clock } from "@coxswain/machinery";
import { isAlive, type ProcessIdentity } from "../process/process-identity.ts";
import { StartError } from "../process/start-error.ts";
import { administratorOf, entriesOf, firstWords, isUnaltered, type KubeconfigFacts, kubeconfig, writeKubeconfig } from "./kubeconfig.ts";
import { clusterOf, documentText, type KubeconfigDocument, markOf, parseDocument, withEntry } from "./kubeconfig-document.ts";
import { withKubeconfigLock } from "./kubeconfig-lock.ts";
import { readIfThere, writePrivately } from "./private-file.ts";

/**
 * Call it before anything else is done.
 * @throws StartError when the file has somebody else's settings in it, or is that of another server that runs
 */
export async function checkKubeconfig(path: string, self: ProcessIdentity): Promise<void> {
  const present = readIfThere(path);
  if (present === undefined || present.trim() === "") return;
  const { isOwn, servers } = present.startsWith(firstWords) ? marksInText(present) : marksIn(await parseDocument(present, path));
  if (!isOwn) throw new StartError(`${path} exists and coxswain did not write it; name another file with --kubeconfig`);
  const other = servers.find((server) => server.pid !== self.pid && isAlive(server));
  if (other !== undefined)
    throw new StartError(`${path} is the kubeconfig of a server that runs (process ${other.pid}); name another file with --kubeconfig`);
}

/** @throws StartError when it cannot be written */
export async function updateKubeconfig(path: string, facts: KubeconfigFacts & { readonly name: string }, clock: Clock): Promise<void> {
  const present = readIfThere(path);
  if (present === undefined || present.trim() === "" || isUnaltered(present, kubeconfig(facts))) return writeKubeconfig(path, facts);
  await withKubeconfigLock(path, clock, async () => {
    const document = withServer(await parseDocument(readIfThere(path) ?? "", path), facts);
    writePrivately(path, await documentText({ ...document, "current-context": currentContext(document, facts.name) }));
  });
}

/** With the entries of a server; what a user has added to them, as a namespace, stays. */
export function withServer(document: KubeconfigDocument, facts: KubeconfigFacts & { readonly name: string }): KubeconfigDocument {
  const { cluster, user, context } = entriesOf(facts);
  const withCluster = withEntry(document, "clusters", facts.name, cluster);
  const withUser = withEntry(withCluster, "users", administratorOf(facts.name), user);
  return withEntry(withUser, "contexts", facts.name, context);
}

/** Another context of the same server may be what the user has chosen. */
const currentContext = (document: KubeconfigDocument, name: string): string =>
  clusterOf(document, document["current-context"]) === name ? document["current-context"] : name;

interface Marks {
  readonly isOwn: boolean;
  readonly servers: readonly ProcessIdentity[];
}

/** Without a parser for YAML, which most starts need for nothing else. */
function marksInText(text: string): Marks {
  const [, pid, startTime] = /"pid":(\d+),"startTime":"([^"]*)"/.exec(text) ?? [];
  return { isOwn: true, servers: pid === undefined || startTime === undefined ? [] : [{ pid: Number(pid), startTime }] };
}

/** kubectl drops comments when it changes a file, so what tells are entries; those of earlier versions have no mark. */
function marksIn({ clusters, users }: KubeconfigDocument): Marks {
  const servers = clusters.flatMap((cluster) => markOf(cluster) ?? []).filter(({ merged }) => merged === undefined);
  const has = (entries: readonly { readonly name: string }[], name: string): boolean => entries.some((entry) => entry.name === name);
  const isOfEarlierVersion =
    has(users, administratorOf("coxswain")) && clusters.some((cluster) => cluster.name === "coxswain" && markOf(cluster) === undefined);
  return { isOwn: servers.length > 0 || isOfEarlierVersion, servers };
}
