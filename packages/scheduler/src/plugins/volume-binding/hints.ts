/** Which changes may help a Pod whose claims are in the way. */
import type { storageV1 } from "@coxswain/api";
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import type { SchedulerPlugin } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { usesClaim } from "../volumes/claimed-volumes.ts";
import { largestVolume } from "./find-volumes.ts";

type Changed = KubeObject | undefined;

const classHelps = (_pod: PodInfo, before: Changed, after: Changed): boolean =>
  before === undefined ||
  !deepEqual((before as storageV1.StorageClass).allowedTopologies, (after as storageV1.StorageClass | undefined)?.allowedTopologies);

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

const csiNodeHelps = (_pod: PodInfo, before: Changed, after: Changed): boolean =>
  before === undefined || before.metadata?.annotations?.[migratedPlugins] !== after?.metadata?.annotations?.[migratedPlugins];

function driverHelps({ pod }: PodInfo, before: Changed, after: Changed): boolean {
  const hasStorageCapacity = (driver: Changed): boolean => (driver as storageV1.CSIDriver | undefined)?.spec.storageCapacity === true;
  const name = after?.metadata?.name;
  return hasStorageCapacity(before) && !hasStorageCapacity(after) && pod.spec?.volumes?.some(({ csi }) => csi?.driver === name) === true;
}

function capacityHelps(_pod: PodInfo, before: Changed, after: Changed): boolean {
  if (before === undefined) return true;
  const room = largestVolume(after as storageV1.CSIStorageCapacity);
  const earlier = largestVolume(before as storageV1.CSIStorageCapacity);
  return room !== undefined && (earlier === undefined || room.compare(earlier) > 0);
}

export const volumeBindingEvents: NonNullable<SchedulerPlugin["events"]> = [
  { event: { resource: "StorageClass", actions: ["add", "update"] }, hint: classHelps },
  { event: { resource: "PersistentVolumeClaim", actions: ["add", "update"] }, hint: (pod, _before, after) => usesClaim(pod, after) },
  { event: { resource: "PersistentVolume", actions: ["add", "update"] } },
  { event: { resource: "Node", actions: ["add", "updateLabels"] } },
  { event: { resource: "CSINode", actions: ["add", "update"] }, hint: csiNodeHelps },
  { event: { resource: "CSIDriver", actions: ["update"] }, hint: driverHelps },
  { event: { resource: "CSIStorageCapacity", actions: ["add", "update"] }, hint: capacityHelps },
];
