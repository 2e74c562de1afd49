import type { Claim } from "@coxswain/api";
import {
  type KubeObject,
  type Lister,
  type ObjectRef,
  persistentVolumes,
  pods,
  type ReconcileContext,
  storageClasses,
} from "@coxswain/client";
import { podsByClaim } from "../../shared/volumes/pods-by-claim.ts";
import type { ObservedClaim } from "./plan.ts";

/** Reads from the caches as the plan needs it. */
export function observe(ref: ObjectRef, { cache }: ReconcileContext<Claim>, claim: Claim): ObservedClaim {
  const volumes = cache(persistentVolumes);
  return {
    claim,
    volumes: () => volumes.list(),
    volume: (name) => volumes.get({ name }),
    storageClass: (name) => cache(storageClasses).get({ name }),
    storageClasses: () => cache(storageClasses).list(),
    pods: () => usersOf(ref, cache(pods)),
  };
}

const usersOf = <T extends KubeObject>({ namespace, name }: ObjectRef, lister: Lister<T>): readonly T[] =>
  lister.byIndex(podsByClaim, `${namespace}/${name}`);
