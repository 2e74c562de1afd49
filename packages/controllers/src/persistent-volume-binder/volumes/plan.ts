/** What becomes of a volume. Reasons and messages are Kubernetes' own. */
import { type Claim, provisionedBy, sameVolumeMode, type Volume } from "@coxswain/api";
import type { RecordedEvent } from "@coxswain/client";

export interface ObservedVolume {
  readonly volume: Volume;
  /** The claim that it is bound to, or is to be; undefined when it is gone, or there is none. */
  readonly claim: Claim | undefined;
}

export type VolumePlan =
  | { readonly do: "nothing" }
  | { readonly do: "mark"; readonly phase: Phase }
  /** The claim that it is bound to has another one. */
  | { readonly do: "unbind" }
  /** It cannot be made free again; it has been released before. */
  | { readonly do: "fail"; readonly event: RecordedEvent }
  /** It and its claim can never be bound, and both get an Event. */
  | { readonly do: "refuse"; readonly claim: Claim; readonly ofVolume: RecordedEvent; readonly ofClaim: RecordedEvent };

export type Phase = "Available" | "Bound" | "Released";

/** `claim` is the one that the volume names, by its uid too; undefined when it has gone. */
export function plan({ volume, claim }: ObservedVolume): VolumePlan {
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined || (claimRef.uid ?? "") === "") return { do: "mark", phase: "Available" };
  if (claim === undefined) return release(volume);
  const wanted = claim.spec?.volumeName ?? "";
  if (wanted === volume.metadata?.name) return { do: "mark", phase: "Bound" };
  // The claim's own turn completes the binding.
  if (wanted === "") return sameVolumeMode(volume, claim) ? { do: "nothing" } : refuse(volume, claim);
  const isSuperfluous = isProvisioned(volume) && volume.spec?.persistentVolumeReclaimPolicy === "Delete";
  return isSuperfluous ? release(volume) : { do: "unbind" };
}

const isProvisioned = ({ metadata }: Volume): boolean => metadata?.annotations?.[provisionedBy] !== undefined;

/** First its release becomes visible, then its external provisioner deletes it. */
function release(volume: Volume): VolumePlan {
  const { phase } = volume.status ?? {};
  if (phase === "Failed") return { do: "nothing" };
  if (phase !== "Released") return { do: "mark", phase: "Released" };
  const event = failureOf(volume);
  return event === undefined ? { do: "nothing" } : { do: "fail", event };
}

/** Why it will not be reclaimed; undefined when it will be, or need not be. */
function failureOf(volume: Volume): RecordedEvent | undefined {
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case "Delete": {
      const message = deletionProblem(volume);
      return message === undefined ? undefined : { type: "Warning", reason: "VolumeFailedDelete", message };
    }
    case "Recycle":
      return { type: "Warning", reason: "VolumeFailedRecycle", message: "No recycler plugin found for the volume!" };
    default:
      return undefined;
  }
}

function deletionProblem({ metadata, spec }: Volume): string | undefined {
  const provisioner = metadata?.annotations?.[provisionedBy] ?? "";
  if (spec?.csi !== undefined || (provisioner !== "" && !provisioner.startsWith("kubernetes.io/"))) return undefined;
  const path = spec?.hostPath?.path;
  if (path !== undefined && !/^\/tmp\/.+/.test(path)) return `host_path deleter only supports /tmp/.+ but received provided ${path}`;
  return `error getting deleter volume plugin for volume ${JSON.stringify(metadata?.name)}: no deletable volume plugin matched`;
}

const refuse = (volume: Volume, claim: Claim): VolumePlan => ({
  do: "refuse",
  claim,
  ofVolume: mismatch(
    `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${JSON.stringify(claim.metadata?.name)} due to incompatible volumeMode.`,
  ),
  ofClaim: mismatch(
    `Cannot bind PersistentVolume ${JSON.stringify(volume.metadata?.name)} to requested PersistentVolumeClaim due to incompatible volumeMode.`,
  ),
});

const mismatch = (message: string): RecordedEvent => ({ type: "Warning", reason: "VolumeMismatch", message });
