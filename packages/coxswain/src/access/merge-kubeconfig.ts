/** A context in the kubeconfig of the user for as long as a server runs. */
import { realpathSync } from "node:fs";
import type { Clock } from "@coxswain/machinery";
import { isAlive, type ProcessIdentity } from "../process/process-identity.ts";
import { StartError } from "../process/start-error.ts";
import { withServer } from "./change-kubeconfig.ts";
import type { KubeconfigFacts } from "./kubeconfig.ts";
import { clusterOf, documentText, type KubeconfigDocument, markOf, parseDocument, withoutCluster } from "./kubeconfig-document.ts";
import { withKubeconfigLock } from "./kubeconfig-lock.ts";
import { isMissing, readIfThere, replaceFile } from "./private-file.ts";

export interface MergeOptions {
  readonly facts: KubeconfigFacts & { readonly name: string };
  readonly self: ProcessIdentity;
  readonly clock: Clock;
}

export interface MergedKubeconfig extends AsyncDisposable {
  /** Writes what is new of the server. The current context stays as it is, and so does a file from which the server has gone. */
  renew(facts: KubeconfigFacts): Promise<void>;
}

/**
 * Adds the server and makes it the current one. Disposing takes it out again, and goes back to the context that was current.
 * @throws StartError when the file cannot be changed, or has somebody else's entry of that name
 */
export async function mergeIntoKubeconfig(path: string, { facts, self, clock }: MergeOptions): Promise<MergedKubeconfig> {
  const file = followLink(path);
  await change(file, clock, (document) => {
    const present = withoutDead(document, self);
    checkNames(present, facts.name, path);
    const mark = { ...self, merged: { previousContext: present["current-context"] } };
    return { ...withServer(present, { ...facts, mark }), "current-context": facts.name };
  });
  const isOwn = (document: KubeconfigDocument): boolean => {
    const mark = markOf(document.clusters.find(({ name }) => name === facts.name));
    return mark?.pid === self.pid && mark.startTime === self.startTime;
  };
  return {
    renew: (next) =>
      change(file, clock, (document) => {
        const mark = markOf(document.clusters.find(({ name }) => name === facts.name));
        return mark === undefined || !isOwn(document) ? document : withServer(document, { ...next, name: facts.name, mark });
      }),
    [Symbol.asyncDispose]: () => change(file, clock, (document) => (isOwn(document) ? withoutServer(document, facts.name) : document)),
  };
}

async function change(path: string, clock: Clock, next: (document: KubeconfigDocument) => KubeconfigDocument): Promise<void> {
  await withKubeconfigLock(path, clock, async () => {
    const document = await parseDocument(readIfThere(path) ?? "", path);
    const changed = next(document);
    if (changed !== document) replaceFile(path, await documentText(changed));
  });
}

/** Servers that were killed could not take their entries out, this one's forerunner among them. */
const withoutDead = (document: KubeconfigDocument, self: ProcessIdentity): KubeconfigDocument =>
  document.clusters
    .filter((cluster) => {
      const mark = markOf(cluster);
      return mark?.merged !== undefined && (mark.pid === self.pid || !isAlive(mark));
    })
    .reduce((rest, { name }) => withoutServer(rest, name), document);

/** And back to the context that was current before it. */
function withoutServer(document: KubeconfigDocument, name: string): KubeconfigDocument {
  const previous = markOf(document.clusters.find((cluster) => cluster.name === name))?.merged?.previousContext ?? "";
  const wasCurrent = clusterOf(document, document["current-context"]) === name;
  const rest = withoutCluster(document, name);
  const isThere = rest.contexts.some((context) => context.name === previous);
  return wasCurrent ? { ...rest, "current-context": isThere ? previous : "" } : rest;
}

function checkNames(document: KubeconfigDocument, name: string, path: string): void {
  const cluster = document.clusters.find((one) => one.name === name);
  const mark = markOf(cluster);
  if (mark !== undefined)
    throw new StartError(`${path} has the context ${name} of a server that runs (process ${mark.pid}); choose another --name`);
  if (cluster !== undefined || document.contexts.some((one) => one.name === name))
    throw new StartError(`${path} has a context or a cluster ${name} that coxswain did not write; choose another --name`);
}

/** A link stays one. */
function followLink(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}
