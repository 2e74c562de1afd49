/** Keeps Pods apart that cannot have the same disk at once, and those that share a claim for one Pod alone. */
import type { coreV1 } from "@coxswain/api";
import { persistentVolumeClaims } from "@coxswain/client";
import { type CycleState, stateKey } from "../../framework/cycle-state.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { NodeInfo, Snapshot } from "../../framework/node-info.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import type { Pod, PodInfo } from "../../framework/pod-info.ts";
import { unschedulable, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { absent, namedClaims, namesClaim } from "../volumes/claimed-volumes.ts";

interface Exclusive {
  /** The Pod's claims that only one Pod may use at a time, anywhere. */
  readonly claims: ReadonlySet<string>;
  users: number;
}

const exclusive = stateKey<Exclusive>("VolumeRestrictions", (one) => ({ ...one }));

const noDisk = unschedulable("node(s) had no available disk");
const inUse = unschedulable(
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
);

export const volumeRestrictions: PluginFactory = (_args, { informers }) => {
  const { lister } = informers.use(persistentVolumeClaims).informer;
  const count = (state: CycleState, other: PodInfo, sign: 1 | -1): undefined => {
    const at = state.get(exclusive);
    if (at !== undefined) at.users += sign * namedClaims(other).filter((name) => at.claims.has(name)).length;
  };
  return {
    name: "VolumeRestrictions",
    events: [
      { event: { resource: "AssignedPod", actions: ["delete"] }, hint: (pod, gone) => gone !== undefined && leavesRoom(pod, gone as Pod) },
      { event: { resource: "Node", actions: ["add"] } },
      { event: { resource: "PersistentVolumeClaim", actions: ["add"] }, hint: (pod, _before, claim) => namesClaim(pod, claim) },
    ],
    preFilter(state, pod, snapshot) {
      const claims = new Set<string>();
      for (const name of namedClaims(pod)) {
        const claim = lister.get({ namespace: pod.namespace, name });
        if (claim === undefined) return unschedulableAndUnresolvable(absent("persistentvolumeclaim", name));
        if (claim.spec?.accessModes?.includes("ReadWriteOncePod")) claims.add(name);
      }
      const users = claims.size === 0 ? 0 : usedClaims(pod, claims, snapshot);
      if (users === 0 && !hasDisks(pod)) return skip;
      state.set(exclusive, { claims, users });
      return undefined;
    },
    addPod: (state, _pod, added) => count(state, added, 1),
    removePod: (state, _pod, removed) => count(state, removed, -1),
    filter(state, pod, node) {
      if (hasConflict(pod, node)) return noDisk;
      return (state.get(exclusive)?.users ?? 0) > 0 ? inUse : undefined;
    },
  };
};

/** How many of them are in use. */
function usedClaims({ namespace }: PodInfo, claims: ReadonlySet<string>, { nodes }: Snapshot): number {
  const isUsed = (name: string): boolean => nodes.some(({ claimUsers }) => claimUsers.has(`${namespace}/${name}`));
  return [...claims].filter(isUsed).length;
}

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: coreV1.Volume): boolean =>
  (gcePersistentDisk ?? awsElasticBlockStore ?? rbd ?? iscsi) !== undefined;

const hasDisks = ({ pod }: PodInfo): boolean => pod.spec?.volumes?.some(isDisk) === true;

const hasConflict = ({ pod }: PodInfo, { pods }: Pick<NodeInfo, "pods">): boolean =>
  pod.spec?.volumes?.some((disk) => isDisk(disk) && pods.some((other) => other.pod.spec?.volumes?.some((one) => excludes(disk, one)))) ===
  true;

/** Whether two Pods on one node cannot have these at once; what both only read they can share. */
function excludes(a: coreV1.Volume, b: coreV1.Volume): boolean {
  const bothRead = (one: { readOnly?: boolean }, other: { readOnly?: boolean }) => one.readOnly === true && other.readOnly === true;
  const [gce, otherGce] = [a.gcePersistentDisk, b.gcePersistentDisk];
  if (gce && otherGce && gce.pdName === otherGce.pdName && !bothRead(gce, otherGce)) return true;
  if (a.awsElasticBlockStore && a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore?.volumeID) return true;
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && !bothRead(a.iscsi, b.iscsi)) return true;
  return a.rbd !== undefined && b.rbd !== undefined && isSameImage(a.rbd, b.rbd) && !bothRead(a.rbd, b.rbd);
}

const isSameImage = (a: coreV1.RBDVolumeSource, b: coreV1.RBDVolumeSource): boolean =>
  a.image === b.image && a.pool === b.pool && a.monitors.some((monitor) => b.monitors.includes(monitor));

function leavesRoom(pod: PodInfo, gone: Pod): boolean {
  const other = newPodInfo(gone);
  if (other.namespace !== pod.namespace) return false;
  const names = namedClaims(pod);
  return hasConflict(pod, { pods: [other] }) || namedClaims(other).some((name) => names.includes(name));
}
