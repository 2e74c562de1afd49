import type { PersistentVolume } from "@coxswain/types/core-v1";
import type { Subresources } from "../../../strategy/strategy.ts";

export const persistentVolumeSubresources: Subresources<PersistentVolume> = {
  status: {
    prepareForUpdate(next, prev, now) {
      const before = prev.status?.lastPhaseTransitionTime;
      const given = next.status?.lastPhaseTransitionTime;
      const samePhase = next.status?.phase === prev.status?.phase;
      if (samePhase && given === undefined) next.status = { ...next.status, ...transitionTime(before) };
      if (!samePhase && (given === undefined || given === before)) next.status = { ...next.status, ...transitionTime(now) };
    },
  },
};

export const transitionTime = (time: string | undefined) => (time === undefined ? {} : { lastPhaseTransitionTime: time });
