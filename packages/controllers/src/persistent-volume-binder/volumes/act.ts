import type { Volume } from "@coxswain/api";
import { done, type Outcome, persistentVolumeClaims, persistentVolumes, type ReconcileContext } from "@coxswain/client";
import { unboundVolume } from "../binding.ts";
import type { VolumePlan } from "./plan.ts";

export async function act({ client, events, signal }: ReconcileContext<Volume>, volume: Volume, planned: VolumePlan): Promise<Outcome> {
  const resource = client.resource(persistentVolumes);
  const write = (status: NonNullable<Volume["status"]>) => resource.updateStatus({ ...volume, status }, { signal });
  switch (planned.do) {
    case "nothing":
      return done;
    case "mark":
      if (volume.status?.phase !== planned.phase) {
        const { message: _, reason: __, ...status } = volume.status ?? {};
        await write({ ...status, phase: planned.phase });
      }
      return done;
    case "unbind":
      await resource.update(unboundVolume(volume), { signal });
      return done;
    case "fail":
      events.record(volume, planned.event, persistentVolumes);
      await write({ ...volume.status, phase: "Failed", message: planned.event.message });
      return done;
    case "refuse":
      events.record(volume, planned.ofVolume, persistentVolumes);
      events.record(planned.claim, planned.ofClaim, persistentVolumeClaims);
      return done;
  }
}
