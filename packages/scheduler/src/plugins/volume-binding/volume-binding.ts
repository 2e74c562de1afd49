/**
 * Chooses nodes where a Pod's claims have volumes in reach or can get some, and sees that they get them.
 * @see https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
 */
import { selectedNode, volumeBoundTo, withAnnotation } from "@coxswain/api";
import { messageOf } from "@coxswain/machinery";
import { stateKey } from "../../framework/cycle-state.ts";
import type { Handle } from "../../framework/handle.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { errorStatus } from "../../framework/status.ts";
import { knownPod } from "../known-pod.ts";
import { absent } from "../volumes/claimed-volumes.ts";
import { bindVolumes } from "./bind-volumes.ts";
import { findVolumes, type VolumePlan } from "./find-volumes.ts";
import { volumeBindingEvents } from "./hints.ts";
import { type PodClaims, podClaims } from "./pod-claims.ts";
import { readVolumeBindingArgs } from "./volume-binding-args.ts";
import { VolumeCache } from "./volume-cache.ts";

interface Found {
  readonly claims: PodClaims;
  readonly byNode: Map<string, VolumePlan>;
  /** With the objects as they are to be; undefined while no node is chosen, or when there is nothing to do. */
  assumed?: VolumePlan | undefined;
}

/** What was found of a node depends on volumes and not on Pods: thinking ahead may share it. */
const found = stateKey<Found>("VolumeBinding");

export const volumeBinding: PluginFactory = (args, handle) => {
  const cache = new VolumeCache(handle.informers);
  const { bindTimeoutMs: timeoutMs } = readVolumeBindingArgs(args);
  const forget = ({ bind, provision }: VolumePlan): void => {
    for (const { volume } of bind) cache.assumedVolumes.forget(volume);
    for (const claim of provision) cache.assumedClaims.forget(claim);
  };
  return {
    name: "VolumeBinding",
    events: volumeBindingEvents,
    preFilter(state, pod) {
      const claims = podClaims(pod, cache);
      if (claims === undefined) return skip;
      if ("code" in claims) return claims;
      state.set(found, { claims, byNode: new Map() });
      return undefined;
    },
    filter(state, _pod, node) {
      const at = state.get(found);
      if (at === undefined) return undefined;
      const plan = findVolumes(at.claims, node.node, cache);
      if ("code" in plan) return plan;
      at.byNode.set(node.name, plan);
      return undefined;
    },
    reserve(state, _pod, node) {
      const at = state.get(found);
      const plan = at?.byNode.get(node);
      if (at === undefined || plan === undefined || at.claims.delayed.length === 0) return undefined;
      const bind = plan.bind.map(({ claim, volume }) => ({ claim, volume: volumeBoundTo(volume, claim) }));
      const provision = plan.provision.map((claim) => withAnnotation(claim, selectedNode, node));
      for (const { volume } of bind) cache.assumedVolumes.assume(volume);
      for (const claim of provision) cache.assumedClaims.assume(claim);
      at.assumed = { bind, provision };
      return undefined;
    },
    unreserve(state) {
      const at = state.get(found);
      if (at?.assumed === undefined) return;
      forget(at.assumed);
      at.assumed = undefined;
    },
    willPreBind: (state) => state.get(found)?.assumed !== undefined,
    async preBind(state, pod, node, signal) {
      const at = state.get(found);
      if (at?.assumed === undefined) return undefined;
      const setting = { client: handle.client, cache, nodeName: node, timeoutMs };
      try {
        await bindVolumes(
          at.assumed,
          { ...setting, node: () => handle.snapshot().get(node)?.node, podProblem: () => podProblem(pod, handle) },
          signal,
        );
      } catch (error) {
        signal.throwIfAborted();
        return errorStatus(messageOf(error));
      }
      // The caches show it all.
      forget(at.assumed);
      return undefined;
    },
  };
};

const podProblem = ({ namespace, name }: PodInfo, { informers }: Handle): string | undefined =>
  knownPod(informers, { namespace, name }) === undefined ? absent("pod", name) : undefined;
