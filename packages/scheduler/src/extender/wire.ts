/** What goes to and comes from an extender: the JSON of k8s.io/kube-scheduler/extender/v1, whose names are Go's. */
import type { KubeObject } from "@coxswain/machinery";
import type { Victims } from "../framework/extender.ts";
import type { NodeInfo, Snapshot } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";

type Fields = Readonly<Record<string, unknown>>;

export const extenderArgs = ({ pod }: PodInfo, nodes: readonly NodeInfo[], onlyNames: boolean): object => ({
  Pod: asSent(pod),
  Nodes: onlyNames ? null : { metadata: {}, items: nodes.map(({ node }) => asSent(node)) },
  NodeNames: onlyNames ? nodes.map(({ name }) => name) : null,
});

export const bindingArgs = ({ name, namespace, uid }: PodInfo, node: string): object => ({
  PodName: name,
  PodNamespace: namespace,
  PodUID: uid,
  Node: node,
});

export function preemptionArgs({ pod }: PodInfo, candidates: ReadonlyMap<string, Victims>, onlyUids: boolean): object {
  const victimsBy = (describe: (victim: Victims["pods"][number]) => object) =>
    Object.fromEntries(
      Array.from(candidates, ([node, { pods, violations }]) => [node, { Pods: pods.map(describe), NumPDBViolations: violations }]),
    );
  return {
    Pod: asSent(pod),
    NodeNameToVictims: onlyUids ? null : victimsBy(asSent),
    NodeNameToMetaVictims: onlyUids ? victimsBy(({ metadata }) => ({ UID: metadata?.uid ?? "" })) : null,
  };
}

const sent = new WeakMap<KubeObject, object>();

/** As kube-scheduler keeps objects: without their kind, and without who manages which field. */
function asSent(object: KubeObject): object {
  const known = sent.get(object);
  if (known !== undefined) return known;
  const { apiVersion: _, kind: __, metadata: { managedFields: ___, ...metadata } = {}, ...rest } = object;
  const made = { metadata, ...rest };
  sent.set(object, made);
  return made;
}

/** As Go reads names: whatever their case. */
export function member(object: unknown, name: string): unknown {
  if (typeof object !== "object" || object === null) return undefined;
  if (Object.hasOwn(object, name)) return (object as Fields)[name];
  const wanted = name.toLowerCase();
  const key = Object.keys(object).find((one) => one.toLowerCase() === wanted);
  return key === undefined ? undefined : (object as Fields)[key];
}

export const textAt = (object: unknown, name: string): string => {
  const value = member(object, name);
  return typeof value === "string" ? value : "";
};

export const listAt = (object: unknown, name: string): readonly unknown[] | undefined => {
  const value = member(object, name);
  return Array.isArray(value) ? value : undefined;
};

export const textsAt = (object: unknown, name: string): ReadonlyMap<string, string> =>
  new Map(Object.entries((member(object, name) ?? {}) as Fields).map(([key, text]) => [key, String(text)]));

/** The nodes that are left; `nodes` are those that it was asked about. */
export function nodesLeft(answer: unknown, nodes: readonly NodeInfo[], extender: string, onlyNames: boolean): readonly NodeInfo[] {
  const names = (onlyNames ? listAt(answer, "NodeNames") : undefined)?.map(String);
  const items = listAt(member(answer, "Nodes"), "items")?.map((node) => textAt(member(node, "metadata"), "name"));
  const byName = new Map(nodes.map((node) => [node.name, node]));
  return (names ?? items ?? []).map((name) => {
    const node = byName.get(name);
    if (node !== undefined) return node;
    throw new Error(
      `extender ${JSON.stringify(extender)} claims a filtered node ${JSON.stringify(name)} which is not found in the input node list`,
    );
  });
}

/** Victims come back as uids of Pods on their nodes. */
export function victimsLeft(answer: unknown, snapshot: Snapshot, extender: string): Map<string, Victims> {
  const left = new Map<string, Victims>();
  for (const [node, victims] of Object.entries((member(answer, "NodeNameToMetaVictims") ?? {}) as Fields)) {
    const there = snapshot.get(node);
    if (there === undefined) throw new Error(`nodeinfo not found for node name ${JSON.stringify(node)}`);
    const pods = (listAt(victims, "Pods") ?? []).map((victim) => {
      const uid = textAt(victim, "UID");
      const found = there.pods.find((pod) => pod.uid === uid);
      if (found !== undefined) return found.pod;
      throw new Error(
        `extender: ${extender} claims to preempt pod (UID: &{${uid}}) on node: ${node}, but the pod is not found on that node`,
      );
    });
    left.set(node, { pods, violations: Number(member(victims, "NumPDBViolations") ?? 0) });
  }
  return left;
}
