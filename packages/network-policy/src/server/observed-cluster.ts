/** What informers say of Pods, Namespaces and NetworkPolicies, as far as rules depend on it. */
import type { api, Change } from "@coxswain/client";
import type { Labels } from "@coxswain/machinery";
import { type PolicyPod, policyPod } from "../contracts/policy-pod.ts";
import type { PolicyInput } from "../rules/pod-rules.ts";
import { type ReadPolicy, readPolicy } from "../rules/read-policy.ts";

/** Keeps what is there; asks nobody. */
export class ObservedCluster {
  readonly #pods = new Map<string, PolicyPod>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #policies = new Map<string, ReadPolicy>();

  /** All that there is, for the rules of a node. */
  inputOf(nodeName: string): PolicyInput {
    return { nodeName, pods: [...this.#pods.values()], namespaces: this.#namespaces, policies: [...this.#policies.values()] };
  }

  /** True when rules may depend on what has changed. */
  onPod({ type, object }: Change<api.coreV1.Pod>): boolean {
    const uid = object.metadata?.uid ?? "";
    const before = this.#pods.get(uid);
    const now = type === "deleted" ? undefined : policyPod(object);
    if (now === undefined) this.#pods.delete(uid);
    else this.#pods.set(uid, now);
    return !isSame(before, now);
  }

  /** True when rules may depend on what has changed. */
  onNamespace({ type, object: { metadata } }: Change<api.coreV1.Namespace>): boolean {
    const name = metadata?.name ?? "";
    const before = this.#namespaces.get(name);
    const now = type === "deleted" ? undefined : (metadata?.labels ?? {});
    if (now === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, now);
    return !isSame(before, now);
  }

  /**
   * True when rules may depend on what has changed. A policy that cannot be read counts for nothing.
   * @throws badRequest() for one that cannot be read
   */
  onPolicy(change: Change<api.networkingV1.NetworkPolicy>): boolean {
    const { object } = change;
    const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
    if (change.type === "updated" && isSame(change.previous.spec, object.spec)) return false;
    this.#policies.delete(key);
    if (change.type !== "deleted") this.#policies.set(key, readPolicy(object));
    return true;
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
