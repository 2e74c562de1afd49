/** Where a Pod's claims can be served: by volumes that there are, or by such as can be made. */
import {
  type Claim,
  type coreV1,
  isInReach,
  requestedStorage,
  selectedNode,
  storageClassOf,
  type storageV1,
  type Volume,
  volumeInReach,
} from "@coxswain/api";
import { labelSelectorFromObject, parseQuantity, type Quantity } from "@coxswain/machinery";
import type { Node } from "../../framework/node-info.ts";
import { errorStatus, type Status, unschedulableAndUnresolvable } from "../../framework/status.ts";
import type { PodClaims } from "./pod-claims.ts";
import type { VolumeCache } from "./volume-cache.ts";

/** What is to be done about a Pod's claims before it runs on a node. */
export interface VolumePlan {
  readonly bind: readonly { readonly claim: Claim; readonly volume: Volume }[];
  readonly provision: readonly Claim[];
}

const nothingToDo: VolumePlan = { bind: [], provision: [] };

const outOfReach = unschedulableAndUnresolvable("node(s) didn't match PersistentVolume's node affinity");
const nothingToBind = unschedulableAndUnresolvable("node(s) didn't find available persistent volumes to bind");
const noRoom = unschedulableAndUnresolvable("node(s) did not have enough free storage");
const gone = unschedulableAndUnresolvable("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");

export function findVolumes(claims: PodClaims, node: Node, cache: VolumeCache): VolumePlan | Status {
  const bound = checkBound(claims.bound, node, cache);
  const plan = claims.delayed.length === 0 ? nothingToDo : planDelayed(claims, node, cache);
  if (bound === undefined) return plan;
  if (!("code" in plan)) return bound;
  return plan.code === "Error" ? plan : unschedulableAndUnresolvable(...bound.reasons, ...plan.reasons);
}

function checkBound(claims: readonly Claim[], node: Node, cache: VolumeCache): Status | undefined {
  for (const { spec } of claims) {
    const volume = cache.volume(spec?.volumeName ?? "");
    if (volume === undefined) return gone;
    if (!isInReach(volume, node)) return outOfReach;
  }
  return undefined;
}

function planDelayed({ delayed, candidates }: PodClaims, node: Node, cache: VolumeCache): VolumePlan | Status {
  const bind: { claim: Claim; volume: Volume }[] = [];
  const provision: Claim[] = [];
  const free: Claim[] = [];
  for (const claim of delayed) {
    const chosen = claim.metadata?.annotations?.[selectedNode];
    if (chosen !== undefined && chosen !== node.metadata?.name) return nothingToBind;
    (chosen === undefined ? free : provision).push(claim);
  }
  const taken = new Set<string>();
  for (const claim of free.toSorted((a, b) => requestedStorage(a).compare(requestedStorage(b)))) {
    const volume = volumeInReach(claim, candidates.get(storageClassOf(claim)) ?? [], node, taken);
    if (volume === undefined) provision.push(claim);
    else {
      taken.add(volume.metadata?.name ?? "");
      bind.push({ claim, volume });
    }
  }
  return checkProvisions(provision, node, cache) ?? { bind, provision };
}

function checkProvisions(claims: readonly Claim[], node: Node, cache: VolumeCache): Status | undefined {
  for (const claim of claims) {
    const className = storageClassOf(claim);
    const storageClass = cache.storageClass(className);
    if (storageClass === undefined) return errorStatus(`failed to find storage class ${JSON.stringify(className)}`);
    const { provisioner, allowedTopologies } = storageClass;
    if (provisioner === "" || provisioner === "kubernetes.io/no-provisioner") return nothingToBind;
    if (!isAllowed(allowedTopologies, node.metadata?.labels ?? {})) return nothingToBind;
    if (!hasRoom(claim, storageClass, node, cache)) return noRoom;
  }
  return undefined;
}

type Labels = Readonly<Record<string, string>>;

const isAllowed = (terms: readonly coreV1.TopologySelectorTerm[] | undefined, labels: Labels): boolean =>
  terms === undefined || terms.length === 0 || terms.some((term) => isChosen(term, labels));

function isChosen({ matchLabelExpressions = [] }: coreV1.TopologySelectorTerm, labels: Labels): boolean {
  if (matchLabelExpressions.length === 0) return false;
  return matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "") && key in labels);
}

/** Drivers with storageCapacity must have enough of it. @see https://kubernetes.io/docs/concepts/storage/storage-capacity/ */
function hasRoom(claim: Claim, { metadata, provisioner }: storageV1.StorageClass, node: Node, cache: VolumeCache): boolean {
  if (claim.spec?.resources?.requests?.storage === undefined) return true;
  if (cache.driver(provisioner)?.spec.storageCapacity !== true) return true;
  const size = requestedStorage(claim);
  return cache.capacitiesOfClass(metadata?.name ?? "").some((capacity) => {
    const limit = largestVolume(capacity);
    return limit !== undefined && limit.compare(size) >= 0 && isServed(capacity, node);
  });
}

export const largestVolume = ({ maximumVolumeSize, capacity }: storageV1.CSIStorageCapacity): Quantity | undefined =>
  parseQuantity(maximumVolumeSize ?? capacity ?? "");

const isServed = ({ nodeTopology }: storageV1.CSIStorageCapacity, node: Node): boolean =>
  nodeTopology !== undefined && labelSelectorFromObject(nodeTopology).matches(node.metadata?.labels);
