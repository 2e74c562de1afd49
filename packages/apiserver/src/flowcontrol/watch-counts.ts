/** How many watches hear of a write: the work that it leaves behind. */

import { readFieldSelector } from "../authorization/read-selector.ts";
import type { RequestInfo, ResourceRequest } from "../contracts/request-info.ts";

export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** Call the answer when the watch has ended. */
  add(info: RequestInfo, query: URLSearchParams): () => void {
    if (info.kind === "path" || isOfOneNode(info, query)) return () => undefined;
    const key = keyOf(info.group, info.resource, info.namespace, info.name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }

  /** Watches of the whole resource, of the namespace, and of the one object. */
  interestedIn({ group, resource, namespace, name }: ResourceRequest): number {
    if (this.#counts.size === 0) return 0;
    let count = this.#of(group, resource, "", "");
    if (namespace !== "") count += this.#of(group, resource, namespace, "");
    if (name !== "") count += this.#of(group, resource, namespace, name);
    return count;
  }

  #of(group: string, resource: string, namespace: string, name: string): number {
    return this.#counts.get(keyOf(group, resource, namespace, name)) ?? 0;
  }
}

const keyOf = (group: string, resource: string, namespace: string, name: string): string => `${group}/${resource}/${namespace}/${name}`;

/** Kubelets watch the Pods of their own nodes: hardly any of them hears of a given Pod. */
function isOfOneNode({ resource }: ResourceRequest, query: URLSearchParams): boolean {
  const selector = resource === "pods" ? query.get("fieldSelector") : null;
  if (selector === null) return false;
  const node = readFieldSelector(selector).requirements?.find(({ field, operator }) => field === "spec.nodeName" && operator === "=");
  return node !== undefined && node.value !== "";
}
