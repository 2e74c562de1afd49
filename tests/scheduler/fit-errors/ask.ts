/** Brings a case about on a cluster, and reads what its scheduler says. */
import { type Client, events, nodes, pods } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import { type Case, type FitErrorText, nodeOf, podOf } from "./case.ts";

export interface Cluster {
  readonly client: Client;
  /** Lets the scheduler see what was made, and try. */
  settle(): Promise<void>;
}

export async function fitErrorOn(
  { client, settle }: Cluster,
  { nodes: wanted, there = [], objects = [], pod }: Case,
): Promise<FitErrorText> {
  for (const short of wanted) await makeNode(client, nodeOf(short));
  for (const object of objects) await make(client, object);
  for (const short of there) {
    await client.resource(pods).create(podOf(short));
    const { name, started: startTime } = short;
    if (startTime !== undefined)
      await client.resource(pods).patch(name, { type: "merge", patch: { status: { startTime } } }, { subresource: "status" });
  }
  await settle();
  await client.resource(pods).create(podOf(pod));
  await settle();
  const { status } = await client.resource(pods).get(pod.name);
  const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
  const said = (await client.resource(events).list()).items.filter(({ involvedObject }) => involvedObject.name === pod.name);
  const left = (await client.resource(pods).list()).items;
  const victims = left.flatMap(({ metadata = {} }) => (metadata.deletionTimestamp === undefined ? [] : (metadata.name ?? [])));
  return {
    condition: { status: condition?.status ?? "", reason: condition?.reason ?? "", message: condition?.message ?? "" },
    events: said.map(({ type = "", reason = "", message = "" }) => ({ type, reason, message })),
    ...(status?.nominatedNodeName === undefined ? {} : { nominatedNode: status.nominatedNodeName }),
    ...(victims.length === 0 ? {} : { victims: victims.toSorted() }),
  };
}

/** The server gives every new Node a taint until its status says that it is ready. */
async function makeNode(client: Client, node: ReturnType<typeof nodeOf>): Promise<void> {
  await client.resource(nodes).create(node);
  await client.resource(nodes).modify(node.metadata?.name ?? "", (draft) => {
    const { taints: _, ...spec } = draft.spec ?? {};
    return { ...draft, spec: { ...spec, ...node.spec } };
  });
}

async function make(client: Client, object: KubeObject): Promise<void> {
  const { apiVersion = "", kind = "" } = object;
  const resource = client.resource(await client.refOf({ apiVersion, kind }));
  const made = await resource.create(object);
  if (object.status === undefined) return;
  await resource.updateStatus({ ...made, status: object.status });
}

/** For what has to be gone before the next case. */
export async function clear(client: Client, { nodes: made, objects = [] }: Case): Promise<void> {
  await client.resource(pods, "default").deleteCollection({ gracePeriodSeconds: 0 });
  await client.resource(events, "default").deleteCollection();
  for (const { name } of made) await client.resource(nodes).delete(name);
  for (const { apiVersion = "", kind = "", metadata } of objects) {
    const resource = client.resource(await client.refOf({ apiVersion, kind }));
    const target = { name: metadata?.name ?? "", namespace: metadata?.namespace };
    const left = await resource.delete(target);
    if (left?.metadata?.finalizers !== undefined)
      await resource.patch(target, { type: "merge", patch: { metadata: { finalizers: null } } }).catch(() => undefined);
  }
}
