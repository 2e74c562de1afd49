/** How many watches hear of a write: the work that it leaves behind. */

import { readFieldSelector } from "../authorization/read-selector.ts";
import type { RequestInfo, ResourceRequest } from "../contracts/request-info.ts";

export class WatchCounts {
  /** By resource, with its group, and then by namespace and name. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** Call the answer when the watch has ended. */
  add(info: RequestInfo, query: URLSearchParams): () => void {
    if (info.kind === "path" || isOfOneNode(info, query)) return () => undefined;
    const resource = resourceOf(info);
    const counts = this.#counts.get(resource) ?? new Map<string, number>();
    this.#counts.set(resource, counts);
    const key = keyOf(info.namespace, info.name);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) return void counts.set(key, left);
      counts.delete(key);
      if (counts.size === 0 && this.#counts.get(resource) === counts) this.#counts.delete(resource);
    };
  }

  /** Watches of the whole resource, of the namespace, and of the one object. */
  interestedIn(info: ResourceRequest): number {
    const { namespace, name } = info;
    const counts = this.#counts.get(resourceOf(info));
    if (counts === undefined) return 0;
    let count = counts.get(everything) ?? 0;
    // Few watch less than all: whoever is counted already need not be looked for.
    if (counts.size === 1 && count > 0) return count;
    if (namespace !== "") count += counts.get(keyOf(namespace, "")) ?? 0;
    if (name !== "") count += counts.get(keyOf(namespace, name)) ?? 0;
    return count;
  }
}

const resourceOf = ({ group, resource }: ResourceRequest): string => (group === "" ? resource : `${resource}.${group}`);

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The key of watches of a whole resource. */
const everything = keyOf("", "");

/** Kubelets watch the Pods of their own nodes: hardly any of them hears of a given Pod. */
function isOfOneNode({ resource }: ResourceRequest, query: URLSearchParams): boolean {
  const selector = resource === "pods" ? query.get("fieldSelector") : null;
  if (selector === null) return false;
  const node = readFieldSelector(selector).requirements?.find(({ field, operator }) => field === "spec.nodeName" && operator === "=");
  return node !== undefined && node.value !== "";
}
