/** Keeps a Pod in the zones and regions of its volumes, where their labels name some. */
import { type Claim, storageClassOf, type storageV1, type Volume } from "@coxswain/api";
import { persistentVolumeClaims, persistentVolumes, storageClasses } from "@coxswain/client";
import { deepEqual, goQuote } from "@coxswain/machinery";
import { stateKey } from "../../framework/cycle-state.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import { type Status, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { absent, namedClaims, namesClaim } from "../volumes/claimed-volumes.ts";

interface VolumeTopology {
  readonly label: string;
  readonly values: readonly string[];
}

const places = stateKey<readonly VolumeTopology[]>("VolumeZone");

const elsewhere = unschedulableAndUnresolvable("node(s) had no available volume zone");

/** Labels of before 1.17, and what they are called since. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
]);
const placeLabels = [...renamed.keys(), ...renamed.values()];

export const volumeZone: PluginFactory = (_args, { informers }) => {
  const claims = informers.use(persistentVolumeClaims).informer.lister;
  const volumes = informers.use(persistentVolumes).informer.lister;
  const classes = informers.use(storageClasses).informer.lister;

  const placesOfClaim = (claim: Claim): readonly VolumeTopology[] | Status => {
    const volumeName = claim.spec?.volumeName ?? "";
    if (volumeName === "") {
      const className = storageClassOf(claim);
      return className === "" ? nameless : withoutVolume(className, classes.get({ name: className }));
    }
    const volume = volumes.get({ name: volumeName });
    return volume === undefined ? unschedulableAndUnresolvable(absent("persistentvolume", volumeName)) : placesOf(volume);
  };

  return {
    name: "VolumeZone",
    events: [
      {
        event: { resource: "StorageClass", actions: ["add"] },
        hint: (_pod, _before, added) => (added as storageV1.StorageClass | undefined)?.volumeBindingMode === "WaitForFirstConsumer",
      },
      { event: { resource: "Node", actions: ["add", "updateLabels"] } },
      { event: { resource: "PersistentVolumeClaim", actions: ["add", "update"] }, hint: (pod, _before, claim) => namesClaim(pod, claim) },
      {
        event: { resource: "PersistentVolume", actions: ["add", "update"] },
        hint: (_pod, before, after) =>
          before === undefined || after === undefined || !deepEqual(placesOf(before as Volume), placesOf(after as Volume)),
      },
    ],
    preFilter(state, pod) {
      const found: VolumeTopology[] = [];
      for (const name of namedClaims(pod)) {
        const claim = claims.get({ namespace: pod.namespace, name });
        if (claim === undefined) return unschedulableAndUnresolvable(absent("persistentvolumeclaim", name));
        const ofClaim = placesOfClaim(claim);
        if ("code" in ofClaim) return ofClaim;
        found.push(...ofClaim);
      }
      if (found.length === 0) return skip;
      state.set(places, found);
      return undefined;
    },
    filter(state, _pod, { labels }) {
      // A cluster in one place has nodes without labels.
      if (!placeLabels.some((label) => label in labels)) return undefined;
      const isThere = ({ label, values }: VolumeTopology): boolean => {
        const value = labels[label] ?? labels[renamed.get(label) ?? label];
        return value !== undefined && values.includes(value);
      };
      return state.get(places)?.every(isThere) === false ? elsewhere : undefined;
    },
  };
};

const nameless = unschedulableAndUnresolvable("PersistentVolumeClaim had no pv name and storageClass name");
const immediate = unschedulableAndUnresolvable("PersistentVolume had no name");
const nowhere: readonly VolumeTopology[] = [];

function withoutVolume(name: string, storageClass: storageV1.StorageClass | undefined): readonly VolumeTopology[] | Status {
  if (storageClass === undefined) return unschedulableAndUnresolvable(absent("storageclass.storage.k8s.io", name));
  const { volumeBindingMode } = storageClass;
  if (volumeBindingMode === undefined) return unschedulableAndUnresolvable(`VolumeBindingMode not set for StorageClass ${goQuote(name)}`);
  return volumeBindingMode === "WaitForFirstConsumer" ? nowhere : immediate;
}

/** A volume in several zones has them in one label, with `__` in between; a label with an empty one says nothing. */
function placesOf({ metadata }: Volume): readonly VolumeTopology[] {
  return placeLabels.flatMap((label) => {
    const values = metadata?.labels?.[label]?.split("__").map((value) => value.trim());
    return values === undefined || values.includes("") ? [] : { label, values };
  });
}
