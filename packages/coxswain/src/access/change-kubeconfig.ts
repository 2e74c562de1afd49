/** Changes a kubeconfig that somebody else has changed as well: loaded only for such. */
import type { Clock } from "@coxswain/machinery";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { administratorOf, entriesOf, type KubeconfigFacts } from "./kubeconfig.ts";
import { clusterOf, documentText, type KubeconfigDocument, markOf, parseDocument, withEntry } from "./kubeconfig-document.ts";
import { withKubeconfigLock } from "./kubeconfig-lock.ts";
import { readIfThere, writePrivately } from "./private-file.ts";

/** Writes the entries of a server; what else is in the file stays. @throws StartError */
export async function changeKubeconfig(path: string, facts: KubeconfigFacts & { readonly name: string }, clock: Clock): Promise<void> {
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

/** Which servers wrote entries of a file, and whether the file is theirs. */
export interface Marks {
  readonly isOwn: boolean;
  readonly servers: readonly ProcessIdentity[];
}

/** kubectl drops comments when it changes a file, so what tells are entries; those of earlier versions have no mark. */
export async function marksIn(text: string, path: string): Promise<Marks> {
  const { clusters, users } = await parseDocument(text, path);
  const servers = clusters.flatMap((cluster) => markOf(cluster) ?? []).filter(({ merged }) => merged === undefined);
  const has = (entries: readonly { readonly name: string }[], name: string): boolean => entries.some((entry) => entry.name === name);
  const isOfEarlierVersion =
    has(users, administratorOf("coxswain")) && clusters.some((cluster) => cluster.name === "coxswain" && markOf(cluster) === undefined);
  return { isOwn: servers.length > 0 || isOfEarlierVersion, servers };
}
