/** What becomes of a claim. Reasons and messages are Kubernetes' own. */
import {
  bindCompleted,
  boundByController,
  type Claim,
  type coreV1,
  hasAnnotation,
  hasStorageClass,
  isBoundTo,
  selectedNode,
  storageClassOf,
  type storageV1,
  type Volume,
} from "@coxswain/api";
import type { RecordedEvent } from "@coxswain/client";
import { bestVolume, mismatchOf } from "../match.ts";

/** A claim, and the objects that decide what becomes of it. */
export interface ObservedClaim {
  readonly claim: Claim;
  readonly volumes: () => readonly Volume[];
  readonly volume: (name: string) => Volume | undefined;
  readonly storageClass: (name: string) => storageV1.StorageClass | undefined;
  readonly storageClasses: () => readonly storageV1.StorageClass[];
  /** Pods that use the claim. */
  readonly pods: () => readonly coreV1.Pod[];
}

export type ClaimPlan =
  | { readonly do: "bind"; readonly volume: Volume }
  /** There is no volume for it now. */
  | { readonly do: "wait"; readonly event?: RecordedEvent }
  /** It has had one. The event is for the first time that this is seen. `missing`: the volume that the copy here does not show. */
  | { readonly do: "lose"; readonly event: RecordedEvent; readonly missing?: string }
  /** An external provisioner is to create one. */
  | { readonly do: "provision"; readonly provisioner: string; readonly event: RecordedEvent }
  /** It gets the cluster's default class, and is looked at again. */
  | { readonly do: "classify"; readonly storageClassName: string };

export function plan(observed: ObservedClaim): ClaimPlan {
  const { claim } = observed;
  if (hasAnnotation(claim, bindCompleted)) return planBound(observed);
  const name = claim.spec?.volumeName ?? "";
  return name === "" ? planUnbound(observed) : planRequested(claim, observed.volume(name));
}

function planBound({ claim, volume: volumeOf }: ObservedClaim): ClaimPlan {
  const name = claim.spec?.volumeName ?? "";
  if (name === "") return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  const volume = volumeOf(name);
  if (volume === undefined)
    return { ...lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!"), missing: name };
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined || claimRef.uid === claim.metadata?.uid) return { do: "bind", volume };
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

const lost = (reason: string, message: string): ClaimPlan & { readonly do: "lose" } => ({
  do: "lose",
  event: { type: "Warning", reason, message },
});

/** It asks for this very volume. */
function planRequested(claim: Claim, volume: Volume | undefined): ClaimPlan {
  if (volume === undefined) return { do: "wait" };
  const name = volume.metadata?.name ?? "";
  if (volume.spec?.claimRef === undefined) {
    const mismatch = mismatchOf(volume, claim);
    if (mismatch === undefined) return { do: "bind", volume };
    return waiting("Warning", "VolumeMismatch", `Cannot bind to requested volume ${JSON.stringify(name)}: ${mismatch}`);
  }
  if (isBoundTo(volume, claim)) return { do: "bind", volume };
  const who = hasAnnotation(claim, boundByController) ? "by a different claim" : "to a different claim.";
  return waiting("Warning", "FailedBinding", `volume ${JSON.stringify(name)} already bound ${who}`);
}

function planUnbound(observed: ObservedClaim): ClaimPlan {
  const { claim } = observed;
  const className = storageClassOf(claim);
  const storageClass = className === "" ? undefined : observed.storageClass(className);
  const waitsForConsumer = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = bestVolume(claim, observed.volumes(), waitsForConsumer);
  if (volume !== undefined) return { do: "bind", volume };
  const assigned = hasStorageClass(claim) ? undefined : defaultClass(observed.storageClasses());
  if (assigned !== undefined) return { do: "classify", storageClassName: assigned };
  if (waitsForConsumer && !hasAnnotation(claim, selectedNode)) return waitForConsumer(observed.pods());
  if (className !== "") return planProvisioning(className, storageClass);
  return waiting("Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
}

/** The newest of those that are marked. */
function defaultClass(classes: readonly storageV1.StorageClass[]): string | undefined {
  const marked = classes.filter(({ metadata }) =>
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"].some(
      (name) => metadata?.annotations?.[name] === "true",
    ),
  );
  const created = ({ metadata }: storageV1.StorageClass) => metadata?.creationTimestamp ?? "";
  const name = ({ metadata }: storageV1.StorageClass) => metadata?.name ?? "";
  return marked.toSorted((a, b) => (created(a) === created(b) ? (name(a) < name(b) ? -1 : 1) : created(a) < created(b) ? 1 : -1))[0]
    ?.metadata?.name;
}

function waitForConsumer(pods: readonly coreV1.Pod[]): ClaimPlan {
  const waitingPods = pods.filter(
    ({ spec, status }) => (spec?.nodeName ?? "") === "" && status?.phase !== "Succeeded" && status?.phase !== "Failed",
  );
  const names = waitingPods.map(({ metadata }) => metadata?.name ?? "").sort();
  if (names.length === 0) return waiting("Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  return waiting("Normal", "WaitForPodScheduled", `waiting for ${names.length === 1 ? "pod" : "pods"} ${names.join(",")} to be scheduled`);
}

function planProvisioning(className: string, storageClass: storageV1.StorageClass | undefined): ClaimPlan {
  if (storageClass === undefined)
    return waiting("Warning", "ProvisioningFailed", `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
  const { provisioner = "" } = storageClass;
  if (provisioner.startsWith("kubernetes.io/"))
    return waiting("Warning", "ProvisioningFailed", `no volume plugin matched name: ${provisioner}`);
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  return { do: "provision", provisioner, event: { type: "Normal", reason: "ExternalProvisioning", message } };
}

const waiting = (type: RecordedEvent["type"], reason: string, message: string): ClaimPlan => ({
  do: "wait",
  event: { type, reason, message },
});
