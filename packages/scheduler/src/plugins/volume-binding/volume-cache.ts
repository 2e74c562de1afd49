/** Everything about storage that decides where a Pod can run, with what has been decided for Pods on their way. */
import { type Claim, isFullyBound, storageClassOf, type storageV1, type Volume } from "@coxswain/api";
import {
  csiDrivers,
  csiStorageCapacities,
  type Indexes,
  type Informer,
  type InformerSet,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from "@coxswain/client";
import { AssumedObjects } from "./assumed-objects.ts";

const byClass = "storageClass";
/** One of each for all profiles, who share the caches. */
const volumesByClass: Indexes<Volume> = { [byClass]: (volume) => [storageClassOf(volume)] };
const capacitiesByClass: Indexes<storageV1.CSIStorageCapacity> = { [byClass]: ({ storageClassName }) => [storageClassName] };

export class VolumeCache {
  readonly claims: Informer<Claim>;
  readonly volumes: Informer<Volume>;
  readonly assumedClaims = new AssumedObjects<Claim>();
  readonly assumedVolumes = new AssumedObjects<Volume>();
  readonly #classes: Informer<storageV1.StorageClass>;
  readonly #drivers: Informer<storageV1.CSIDriver>;
  readonly #capacities: Informer<storageV1.CSIStorageCapacity>;

  constructor(informers: InformerSet) {
    this.claims = informers.use(persistentVolumeClaims).informer;
    this.volumes = informers.use(persistentVolumes, { indexes: volumesByClass }).informer;
    this.#classes = informers.use(storageClasses).informer;
    this.#drivers = informers.use(csiDrivers).informer;
    this.#capacities = informers.use(csiStorageCapacities, { indexes: capacitiesByClass }).informer;
  }

  claim(namespace: string, name: string): Claim | undefined {
    const claim = this.claims.lister.get({ namespace, name });
    return claim === undefined ? undefined : this.assumedClaims.of(claim);
  }

  volume(name: string): Volume | undefined {
    const volume = this.volumes.lister.get({ name });
    return volume === undefined ? undefined : this.assumedVolumes.of(volume);
  }

  volumesOfClass(name: string): readonly Volume[] {
    const volumes = this.volumes.lister.byIndex(byClass, name);
    return this.assumedVolumes.size === 0 ? volumes : volumes.map((volume) => this.assumedVolumes.of(volume));
  }

  storageClass(name: string): storageV1.StorageClass | undefined {
    return this.#classes.lister.get({ name });
  }

  driver(name: string): storageV1.CSIDriver | undefined {
    return this.#drivers.lister.get({ name });
  }

  capacitiesOfClass(name: string): readonly storageV1.CSIStorageCapacity[] {
    return this.#capacities.lister.byIndex(byClass, name);
  }

  /** The claim waits until a Pod that uses it has found its place. */
  waitsForConsumer(claim: Claim): boolean {
    return this.storageClass(storageClassOf(claim))?.volumeBindingMode === "WaitForFirstConsumer";
  }

  /** As the server has it, whatever is assumed. */
  isBound({ metadata = {} }: Claim): boolean {
    const claim = this.claims.lister.get({ namespace: metadata.namespace, name: metadata.name ?? "" });
    return claim !== undefined && isFullyBound(claim);
  }
}
