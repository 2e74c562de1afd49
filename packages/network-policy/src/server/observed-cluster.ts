/** What informers say of Pods, Namespaces and NetworkPolicies, as far as rules depend on it. */
import type { api, Change } from "@coxswain/client";
import type { Labels } from "@coxswain/machinery";
import { type PolicyPod, policyPod } from "../contracts/policy-pod.ts";
import type { PolicyInput } from "../rules/pod-rules.ts";
import { type ReadPolicy, readPolicy } from "../rules/read-policy.ts";
import { isAnnounced, type PodSelection, type StartingPod, StartingPods } from "./starting-pods.ts";

/** Keeps what is there; asks nobody. */
export class ObservedCluster {
  readonly #starting: StartingPods;
  readonly #pods = new Map<string, PolicyPod>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #policies = new Map<string, ReadPolicy>();

  /** @param starting what kubelets know of Pods before their status says it */
  constructor(starting: StartingPods = new StartingPods()) {
    this.#starting = starting;
  }

  /** All that there is, for the rules of a node. */
  inputOf(nodeName: string): PolicyInput {
    return { nodeName, pods: this.#addressedPods(), namespaces: this.#namespaces, policies: [...this.#policies.values()] };
  }

  /** Whether a policy is about a Pod that its kubelet has announced. */
  selectionOf(announced: StartingPod): PodSelection {
    const pod = this.#pods.get(announced.uid) ?? this.#pods.values().find((one) => isAnnounced(one, announced));
    if (pod === undefined) return "unknown";
    const isSelected = this.#policies.values().some(({ namespace, selects }) => namespace === pod.namespace && selects(pod.labels));
    return isSelected ? "selected" : "open";
  }

  /** True when rules may depend on what has changed. */
  onPod({ type, object }: Change<api.coreV1.Pod>): boolean {
    const uid = object.metadata?.uid ?? "";
    const before = this.#pods.get(uid);
    const now = type === "deleted" ? undefined : policyPod(object);
    if (now === undefined) this.#pods.delete(uid);
    else this.#pods.set(uid, now);
    if (isSame(before, now)) return false;
    const has = [before, now].some((pod) => pod !== undefined && this.#addressesOf(pod) !== undefined);
    // From when its status has other addresses than when they were announced, it counts.
    if (before !== undefined && (now === undefined || (hasAddress(now) && !isSame(before.addresses, now.addresses))))
      this.#starting.forget(before);
    return has;
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

  /** Undefined: none is known yet. */
  #addressesOf(pod: PolicyPod): PolicyPod["addresses"] | undefined {
    return this.#starting.addressesOf(pod) ?? (hasAddress(pod) ? pod.addresses : undefined);
  }

  #addressedPods(): readonly PolicyPod[] {
    const all = [...this.#pods.values()];
    const announced = all.flatMap((pod) => {
      const addresses = this.#starting.addressesOf(pod);
      return addresses === undefined ? [] : [{ ...pod, addresses }];
    });
    if (announced.length === 0) return all.filter(hasAddress);
    const uids = new Set(announced.map(({ uid }) => uid));
    // The kubelet has the last word: whoever else still says that it has such an address has lost it.
    const taken = new Set(announced.flatMap(({ addresses }) => Object.values(addresses)));
    const isCurrent = (pod: PolicyPod): boolean =>
      hasAddress(pod) && !uids.has(pod.uid) && !Object.values(pod.addresses).some((address) => taken.has(address));
    return [...all.filter(isCurrent), ...announced];
  }
}

const hasAddress = ({ addresses }: PolicyPod): boolean => addresses.IPv4 !== undefined || addresses.IPv6 !== undefined;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
