/** Attaches no more volumes to a node than its CSI drivers can take. */
import { storageClassOf, type storageV1 } from "@coxswain/api";
import { csiNodes, type Indexes, persistentVolumeClaims, persistentVolumes, storageClasses, volumeAttachments } from "@coxswain/client";
import { stateKey } from "../../framework/cycle-state.ts";
import type { Handle } from "../../framework/handle.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import type { Pod, PodInfo } from "../../framework/pod-info.ts";
import { errorStatus, type Status, unschedulable, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { absent, claimedVolumes, foreignClaim, usesClaim } from "../volumes/claimed-volumes.ts";

/** Drivers by what identifies a volume: each counts once for a node, however many Pods use it there. */
type Volumes = ReadonlyMap<string, string>;

const wanted = stateKey<Volumes | Status>("NodeVolumeLimits");

const tooMany = unschedulable("node(s) exceed max volume count");

export const nodeVolumeLimits: PluginFactory = (_args, handle) => {
  const nodes = handle.informers.use(csiNodes).informer.lister;
  const counter = new VolumeCounter(handle);
  return {
    name: "NodeVolumeLimits",
    events: [
      { event: { resource: "CSINode", actions: ["add"] } },
      { event: { resource: "CSINode", actions: ["update"] }, hint: (_pod, before, after) => isRaised(before, after) },
      { event: { resource: "AssignedPod", actions: ["delete"] }, hint: (_pod, gone) => hasClaims(gone as Pod | undefined) },
      { event: { resource: "PersistentVolumeClaim", actions: ["add"] }, hint: (pod, _before, claim) => usesClaim(pod, claim) },
      {
        event: { resource: "VolumeAttachment", actions: ["delete"] },
        hint: ({ pod }) => pod.spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined) === true,
      },
    ],
    preFilter(state, pod) {
      if (pod.claims.length === 0) return skip;
      state.set(wanted, counter.ofNewPod(pod));
      return undefined;
    },
    filter(state, _pod, node) {
      const volumes = state.get(wanted);
      if (volumes === undefined || "code" in volumes) return volumes;
      if (volumes.size === 0) return undefined;
      const limits = limitsOf(nodes.get({ name: node.name }));
      return limits.size === 0 || counter.fits(volumes, node, limits) ? undefined : tooMany;
    },
  };
};

/** One for all profiles, who share the cache. */
const attachmentsByNode: Indexes<storageV1.VolumeAttachment> = { node: ({ spec }) => [spec.nodeName] };

class VolumeCounter {
  readonly #claims;
  readonly #volumes;
  readonly #classes;
  readonly #attachments;

  constructor({ informers }: Pick<Handle, "informers">) {
    this.#claims = informers.use(persistentVolumeClaims).informer.lister;
    this.#volumes = informers.use(persistentVolumes).informer.lister;
    this.#classes = informers.use(storageClasses).informer.lister;
    this.#attachments = informers.use(volumeAttachments, { indexes: attachmentsByNode }).informer.lister;
  }

  ofNewPod(pod: PodInfo): Volumes | Status {
    const found = new Map<string, string>();
    for (const { name, isEphemeral } of claimedVolumes(pod)) {
      const claim = this.#claims.get({ namespace: pod.namespace, name });
      if (claim === undefined)
        return unschedulableAndUnresolvable(`looking up PVC ${pod.namespace}/${name}: ${absent("persistentvolumeclaim", name)}`);
      const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined;
      if (foreign !== undefined) return errorStatus(foreign);
      this.#add(pod.namespace, name, found);
    }
    return found;
  }

  fits(volumes: Volumes, node: NodeInfo, limits: ReadonlyMap<string, number>): boolean {
    const attached = new Map<string, string>();
    for (const pod of node.pods) for (const name of pod.claims) this.#add(pod.namespace, name, attached);
    this.#addAttachments(node.name, attached);
    const counts = new Map<string, number>();
    const count = (driver: string): void => void counts.set(driver, (counts.get(driver) ?? 0) + 1);
    for (const driver of attached.values()) count(driver);
    const fresh = new Set<string>();
    for (const [id, driver] of volumes) {
      if (attached.has(id)) continue;
      count(driver);
      fresh.add(driver);
    }
    return [...fresh].every((driver) => (counts.get(driver) ?? 0) <= (limits.get(driver) ?? Number.POSITIVE_INFINITY));
  }

  /** A volume that is still to be made has no name yet: it goes by its claim's. */
  #add(namespace: string, name: string, to: Map<string, string>): void {
    const claim = this.#claims.get({ namespace, name });
    if (claim === undefined) return;
    const volume = this.#volumes.get({ name: claim.spec?.volumeName ?? "" });
    if (volume === undefined) {
      const driver = this.#classes.get({ name: storageClassOf(claim) })?.provisioner ?? "";
      if (driver !== "") to.set(`${driver} of ${namespace}/${name}`, driver);
      return;
    }
    const { driver, volumeHandle } = volume.spec?.csi ?? {};
    if (driver !== undefined && volumeHandle !== undefined) to.set(`${driver}/${volumeHandle}`, driver);
  }

  /** Also of Pods that have gone: detaching takes time. */
  #addAttachments(node: string, to: Map<string, string>): void {
    for (const { spec } of this.#attachments.byIndex("node", node)) {
      const handle = this.#volumes.get({ name: spec.source.persistentVolumeName ?? "" })?.spec?.csi?.volumeHandle;
      if (handle !== undefined && spec.attacher !== "") to.set(`${spec.attacher}/${handle}`, spec.attacher);
    }
  }
}

const noLimits: ReadonlyMap<string, number> = new Map();

function limitsOf(node: storageV1.CSINode | undefined): ReadonlyMap<string, number> {
  if (node === undefined) return noLimits;
  return new Map(
    node.spec.drivers.flatMap(({ name, allocatable }) => (allocatable?.count === undefined ? [] : [[name, allocatable.count]])),
  );
}

function isRaised(before: unknown, after: unknown): boolean {
  const earlier = limitsOf(before as storageV1.CSINode | undefined);
  return [...limitsOf(after as storageV1.CSINode | undefined)].some(([name, limit]) => limit > (earlier.get(name) ?? 0));
}

const hasClaims = (pod: Pod | undefined): boolean =>
  pod?.spec?.volumes?.some(({ persistentVolumeClaim, ephemeral }) => (persistentVolumeClaim ?? ephemeral) !== undefined) === true;
