/** An object whose owners may be gone, as the server has it, and what has become of each of them. */
import { type Client, type KubeObject, type OwnerReference, type ResourceRef, unlessNotFound } from "@coxswain/client";
import type { AbsentOwnerCache } from "./absent-owner-cache.ts";
import type { DependencyGraph } from "./dependency-graph.ts";
import { deletionStateOf, type Node } from "./node.ts";
import { targetOf } from "./owner-patches.ts";
import type { ClassifiedOwner, ObservedDependent } from "./plan.ts";

export interface OwnerSources {
  readonly client: Client;
  readonly graph: DependencyGraph;
  readonly absent: AbsentOwnerCache;
  /** Uids of owners that were deleted with policy Orphan. */
  readonly released: ReadonlySet<string>;
}

/** Undefined when there is nothing to collect. @throws NoMatchError for an owner of a kind that is not served */
export async function observe(sources: OwnerSources, node: Node, signal: AbortSignal): Promise<ObservedDependent | undefined> {
  const { client, graph } = sources;
  // The server is not asked where all owners are in the graph: the watch will report their deletion.
  if (node.owners.every((owner) => graph.isSolid(owner, node.namespace))) return undefined;
  const latest = await readLatest(client, node, signal);
  if (latest === undefined) return undefined;
  const owners: ClassifiedOwner[] = [];
  for (const reference of latest.metadata?.ownerReferences ?? []) {
    const classified = await classify(sources, reference, node, signal);
    if (classified === "invalid") return undefined;
    owners.push(classified);
  }
  return { node, latest, owners, dependents: graph.dependents(node.uid) };
}

/** Undefined when it is gone: the watch will report that too. */
export async function readLatest(client: Client, node: Node, signal: AbortSignal): Promise<KubeObject | undefined> {
  const found = await unlessNotFound(client.resource<KubeObject>(node.ref).get(targetOf(node), { signal }), node.ref, node.name);
  return found?.metadata?.uid === node.uid ? found : undefined;
}

/** `invalid`: a cluster-scoped object cannot have an owner in a namespace. */
async function classify(
  { client, graph, absent, released }: OwnerSources,
  reference: OwnerReference,
  node: Node,
  signal: AbortSignal,
): Promise<ClassifiedOwner | "invalid"> {
  const gone: ClassifiedOwner = { reference, state: released.has(reference.uid) ? "released" : "absent" };
  if (graph.isSolid(reference, node.namespace)) return { reference, state: "solid" };
  if (["", node.namespace].some((namespace) => absent.has({ ...reference, namespace }))) return gone;
  const ref = await client.refOf(reference, { signal });
  if (ref.namespaced && node.namespace === "") return "invalid";
  const owner = await readOwner(client, ref, { name: reference.name, namespace: node.namespace }, signal);
  if (owner?.metadata?.uid === reference.uid)
    return { reference, state: deletionStateOf(owner.metadata) === "foreground" ? "waiting" : "solid" };
  absent.add({ ...reference, namespace: ref.namespaced ? node.namespace : "" });
  return gone;
}

function readOwner(
  client: Client,
  ref: ResourceRef,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const owner = client.resource<KubeObject>(ref).get(ref.namespaced ? { namespace, name } : { name }, { signal });
  return unlessNotFound(owner, ref, name);
}
