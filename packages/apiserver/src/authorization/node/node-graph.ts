/** Which objects have to do with which node: Pods that are bound to it, and what those and their volumes name. */
import { configMapNames, type coreV1, type resourceV1, secretNames, type storageV1 } from "@coxswain/api";

export interface ObjectPlace {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** Of certificates.k8s.io, where it is served. */
export interface PodCertificateRequest {
  readonly spec?: { readonly nodeName?: string };
}

/** What Pods name, beside volumes that follow from their claims. */
export type NamedResource = "secrets" | "configmaps" | "serviceaccounts" | "persistentvolumeclaims" | "resourceclaims";

/** What says itself which node it is about. */
export type PlacedResource = "pods" | "volumeattachments" | "resourceslices" | "podcertificaterequests";

const mirror = "kubernetes.io/config.mirror";

const keyOf = ({ namespace, name }: ObjectPlace): string => `${namespace}/${name}`;

export class NodeGraph {
  /** By resource and place: how many Pods of which node name it. */
  readonly #named = new Map<string, Map<string, number>>();
  readonly #references = new Map<string, { readonly node: string; readonly keys: readonly string[] }>();
  readonly #placed = new Map<string, string>();
  /** By PersistentVolume: the key of its claim, and of the Secrets that it names. */
  readonly #volumes = new Map<string, { readonly claim: string; readonly secrets: readonly string[] }>();
  /** By Secret: the volumes that name it. */
  readonly #volumesOf = new Map<string, Set<string>>();

  /** Whether the node has to do with an object that Pods name, or with a Secret that the volume of a claim names. */
  isNamed(node: string, resource: NamedResource, place: ObjectPlace): boolean {
    if (this.#named.get(`${resource}/${keyOf(place)}`)?.has(node) === true) return true;
    if (resource !== "secrets") return false;
    for (const volume of this.#volumesOf.get(keyOf(place)) ?? []) if (this.isVolume(node, volume)) return true;
    return false;
  }

  /** Whether a Pod of the node has the claim of the PersistentVolume. */
  isVolume(node: string, name: string): boolean {
    const volume = this.#volumes.get(name);
    return volume !== undefined && this.#named.get(`persistentvolumeclaims/${volume.claim}`)?.has(node) === true;
  }

  isPlaced(node: string, resource: PlacedResource, place: ObjectPlace): boolean {
    return this.#placed.get(`${resource}/${keyOf(place)}`) === node;
  }

  setPod(at: ObjectPlace, pod: Readonly<coreV1.Pod> | undefined): void {
    const node = pod?.spec?.nodeName ?? "";
    this.#place("pods", at, node);
    const key = keyOf(at);
    const before = this.#references.get(key);
    for (const one of before?.keys ?? []) this.#count(one, before?.node ?? "", -1);
    this.#references.delete(key);
    // A node makes mirror Pods itself: they give it no access to anything.
    if (pod === undefined || node === "" || pod.metadata?.annotations?.[mirror] !== undefined) return;
    const keys = referencesOf(pod, at.namespace);
    for (const one of keys) this.#count(one, node, 1);
    this.#references.set(key, { node, keys });
  }

  setVolume({ name }: ObjectPlace, volume: Readonly<coreV1.PersistentVolume> | undefined): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const users = this.#volumesOf.get(secret);
      users?.delete(name);
      if (users?.size === 0) this.#volumesOf.delete(secret);
    }
    this.#volumes.delete(name);
    const { claimRef } = volume?.spec ?? {};
    if (volume === undefined || claimRef === undefined) return;
    const secrets = secretsOfVolume(volume, claimRef.namespace ?? "");
    this.#volumes.set(name, { claim: `${claimRef.namespace}/${claimRef.name}`, secrets });
    for (const secret of secrets) this.#volumesOf.set(secret, (this.#volumesOf.get(secret) ?? new Set()).add(name));
  }

  setAttachment(at: ObjectPlace, attachment: Readonly<storageV1.VolumeAttachment> | undefined): void {
    this.#place("volumeattachments", at, attachment?.spec?.nodeName ?? "");
  }

  setSlice(at: ObjectPlace, slice: Readonly<resourceV1.ResourceSlice> | undefined): void {
    this.#place("resourceslices", at, slice?.spec?.nodeName ?? "");
  }

  setCertificateRequest(at: ObjectPlace, request: Readonly<PodCertificateRequest> | undefined): void {
    this.#place("podcertificaterequests", at, request?.spec?.nodeName ?? "");
  }

  #place(resource: PlacedResource, at: ObjectPlace, node: string): void {
    if (node === "") this.#placed.delete(`${resource}/${keyOf(at)}`);
    else this.#placed.set(`${resource}/${keyOf(at)}`, node);
  }

  #count(key: string, node: string, by: 1 | -1): void {
    const nodes = this.#named.get(key) ?? new Map<string, number>();
    const count = (nodes.get(node) ?? 0) + by;
    if (count > 0) this.#named.set(key, nodes.set(node, count));
    else if (nodes.delete(node) && nodes.size === 0) this.#named.delete(key);
  }
}

function referencesOf({ metadata, spec = { containers: [] }, status }: Readonly<coreV1.Pod>, namespace: string): string[] {
  const keys = new Set<string>();
  const add = (resource: NamedResource, name: string | undefined): void => {
    if (name) keys.add(`${resource}/${namespace}/${name}`);
  };
  add("serviceaccounts", spec.serviceAccountName);
  for (const name of secretNames(spec)) add("secrets", name);
  for (const name of configMapNames(spec)) add("configmaps", name);
  for (const { name, persistentVolumeClaim, ephemeral } of spec.volumes ?? [])
    add("persistentvolumeclaims", persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata?.name}-${name}`));
  for (const claim of spec.resourceClaims ?? []) {
    const made = status?.resourceClaimStatuses?.find(({ name }) => name === claim.name);
    add("resourceclaims", claim.resourceClaimName ?? made?.resourceClaimName);
  }
  add("resourceclaims", status?.extendedResourceClaimStatus?.resourceClaimName);
  return [...keys];
}

/** Those that a kubelet needs to mount it. Of the older sources, one without a namespace is in that of the claim. */
function secretsOfVolume({ spec = {} }: Readonly<coreV1.PersistentVolume>, claimed: string): string[] {
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = spec;
  const older = [
    azureFile === undefined ? undefined : { name: azureFile.secretName, namespace: azureFile.secretNamespace ?? undefined },
    ...[cephfs?.secretRef, flexVolume?.secretRef, rbd?.secretRef, scaleIO?.secretRef, iscsi?.secretRef],
  ].map((one) => one && { ...one, namespace: one.namespace || claimed });
  const others = [cinder?.secretRef, storageos?.secretRef, csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef];
  return [...older, ...others].flatMap((one) => (one?.name && one.namespace ? [`${one.namespace}/${one.name}`] : []));
}
