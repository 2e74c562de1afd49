/** One pass over all that is in a Namespace: what can be deleted is, and what remains is reported. */
import type { coreV1 } from "@coxswain/api";
import {
  type Client,
  type Discovered,
  type DiscoveredResource,
  isMethodNotSupported,
  isNotFound,
  isObjectNotFound,
  pods,
} from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import { millisOf } from "@coxswain/machinery";
import { discoveryFailure, resourcesWith } from "../shared/discovery/discovered-resources.ts";
import type { Findings, Remaining } from "./conditions.ts";
import { graceSeconds } from "./grace.ts";

export interface Pass extends Findings {
  /** How long what remains is expected to take; 0 when nothing does. */
  readonly estimateSeconds: number;
}

export interface PassOptions {
  readonly client: Client;
  readonly namespace: coreV1.Namespace;
  readonly signal: AbortSignal;
}

/** Unknown for objects that only a finalizer keeps. */
const finalizerSeconds = 15;

/** Pods go first, so that nothing that they need, such as a NetworkPolicy, goes before them. */
export async function deleteContent(options: PassOptions): Promise<Pass> {
  const { resources, discovery } = await discoverContent(options);
  const isPods = ({ group, resource }: DiscoveredResource) => group === "" && resource === "pods";
  const first = await deleteAll(resources.filter(isPods), options);
  const rest =
    first.remaining.length + first.failures.length > 0
      ? noContent
      : await deleteAll(
          resources.filter((one) => !isPods(one)),
          options,
        );
  return {
    discovery,
    failures: [...first.failures, ...rest.failures],
    // Kubernetes' conditions do not mention Pods: while they end, nothing else has been looked at.
    remaining: rest.remaining,
    estimateSeconds: Math.max(first.estimateSeconds, rest.estimateSeconds),
  };
}

type Outcome = Omit<Pass, "discovery">;

const noContent: Outcome = { failures: [], remaining: [], estimateSeconds: 0 };

/** What is known is deleted also where not everything is. */
async function discoverContent({
  client,
  signal,
}: PassOptions): Promise<Pick<Pass, "discovery"> & { resources: readonly DiscoveredResource[] }> {
  try {
    const discovered = await client.discover({ signal });
    const error = discoveryFailure(discovered) ?? whatIsAmiss(discovered);
    const resources = resourcesWith(discovered, ["delete"]).filter(({ namespaced }) => namespaced);
    return { resources, discovery: error && { error, groups: discovered.failed.length } };
  } catch (error) {
    signal.throwIfAborted();
    return { resources: [], discovery: { error: asError(error) } };
  }
}

/**
 * Where whatever stands in between finds nothing at one of the two roots of discovery, that looks like a server that has no
 * more. Whoever serves Namespaces serves both the core group and others.
 */
function whatIsAmiss({ resources }: Discovered): Error | undefined {
  const isWhole = resources.some(({ group }) => group === "") && resources.some(({ group }) => group !== "");
  return isWhole ? undefined : new Error("unable to retrieve the complete list of server APIs: not all groups are there");
}

async function deleteAll(resources: readonly DiscoveredResource[], options: PassOptions): Promise<Outcome> {
  const failures: Error[] = [];
  const remaining: Remaining[] = [];
  const missing: DiscoveredResource[] = [];
  let estimateSeconds = 0;
  for (const resource of resources) {
    try {
      const left = await deleteResource(resource, options);
      if (left === "missing") {
        missing.push(resource);
        continue;
      }
      if (left.count === 0) continue;
      remaining.push(left);
      if (left.estimateSeconds === 0 && left.finalizers.size === 0) failures.push(unexpected(resource, options));
      estimateSeconds = Math.max(estimateSeconds, left.estimateSeconds || (left.finalizers.size > 0 ? finalizerSeconds : 0));
    } catch (error) {
      options.signal.throwIfAborted();
      failures.push(asError(error));
    }
  }
  failures.push(...(await stillServed(missing, options)));
  return { failures, remaining, estimateSeconds };
}

/**
 * Why there may be objects of resources that were not found where discovery had listed them: another version is served
 * now, or that is unknown. What has gone with its definition has left nothing.
 */
async function stillServed(missing: readonly DiscoveredResource[], options: PassOptions): Promise<readonly Error[]> {
  if (missing.length === 0) return [];
  const { resources, discovery } = await discoverContent(options);
  if (discovery !== undefined) return [discovery.error];
  const served = missing.filter(({ group, resource }) => resources.some((one) => one.group === group && one.resource === resource));
  return served.map(
    ({ group, version, resource }) => new Error(`${group}/${version}, Resource=${resource} was not found while it was emptied`),
  );
}

/** `missing`: the server serves nothing at its path. */
async function deleteResource(
  resource: DiscoveredResource,
  { client, namespace, signal }: PassOptions,
): Promise<(Remaining & { readonly estimateSeconds: number }) | "missing"> {
  const name = namespace.metadata?.name ?? "";
  const collection = client.resource(resource, name);
  const estimateSeconds = await estimate(resource, { client, namespace, signal });
  const options = { propagationPolicy: "Background", signal } as const;
  const emptied = await served(resource, "deletecollection", () => collection.deleteCollection(options));
  const finalizers = new Map<string, number>();
  let count = 0;
  const listed = await served(resource, "list", async () => {
    if (emptied !== "yes") for (const item of (await collection.list({ metadataOnly: true, signal })).items) await deleteItem(item);
    for await (const { items } of collection.pages({ metadataOnly: true, signal })) {
      count += items.length;
      for (const finalizer of items.flatMap(({ metadata }) => metadata?.finalizers ?? []))
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
  });
  if (emptied === "missing" || listed === "missing") return "missing";
  return { resource: resource.resource, group: resource.group, count, finalizers, estimateSeconds };

  async function deleteItem({ metadata: { name: item = "" } = {} }: KubeObject): Promise<void> {
    await collection.delete(item, options).catch((error: unknown) => {
      if (!isObjectNotFound(error, resource, item) && !isMethodNotSupported(error)) throw error;
    });
  }
}

/** Resolves with whether the server does this at all; `missing`: it finds nothing there to do it with. */
async function served({ verbs }: DiscoveredResource, verb: string, request: () => Promise<void>): Promise<"yes" | "no" | "missing"> {
  if (!verbs.includes(verb)) return "no";
  try {
    await request();
    return "yes";
  } catch (error) {
    if (isMethodNotSupported(error)) return "no";
    if (isNotFound(error)) return "missing";
    throw error;
  }
}

/** Only Pods take their time; once they should have been through with it, it is no excuse any more. */
async function estimate({ group, resource }: DiscoveredResource, { client, namespace, signal }: PassOptions): Promise<number> {
  if (group !== pods.group || resource !== pods.resource) return 0;
  const { name = "", deletionTimestamp } = namespace.metadata ?? {};
  const { items } = await client.resource(pods, name).list({ signal });
  return graceSeconds(items, client.clock.now() - (millisOf(deletionTimestamp) ?? 0));
}

const unexpected = ({ group, version, resource }: DiscoveredResource, { namespace }: PassOptions): Error =>
  new Error(`unexpected items still remain in namespace: ${namespace.metadata?.name} for gvr: ${group}/${version}, Resource=${resource}`);

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
