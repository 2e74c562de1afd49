/** What a Lease says about its holder. */
import { wireMicroTime } from "@coxswain/machinery";
import type { coordinationV1 } from "@coxswain/types";

export type Lease = coordinationV1.Lease;
export type LeaseSpec = coordinationV1.LeaseSpec;

/** Empty when it is not held. */
export const holderOf = (lease: Lease): string => lease.spec?.holderIdentity ?? "";

/** Whether the lease was neither taken nor released between the two. */
export const isSameTerm = ({ spec: a }: Lease, { spec: b }: Lease): boolean =>
  a?.holderIdentity === b?.holderIdentity && a?.leaseTransitions === b?.leaseTransitions && a?.acquireTime === b?.acquireTime;

export interface Holding {
  readonly identity: string;
  readonly durationMs: number;
  /** Milliseconds since the epoch, by the holder's clock: for people to read, no rule depends on it. */
  readonly now: number;
}

/** The spec by which `identity` takes the lease, or keeps it: the times and the count of its own term go on. */
export function heldSpec(before: LeaseSpec | undefined, { identity, durationMs, now }: Holding): LeaseSpec {
  const time = wireMicroTime(now);
  const isSame = before?.holderIdentity === identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.floor(durationMs / 1000),
    acquireTime: isSame ? (before?.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: before === undefined || isSame ? transitions : transitions + 1,
  };
}

/** The spec that lets the next candidate take the lease at once. */
export function releasedSpec(before: LeaseSpec | undefined, now: number): LeaseSpec {
  const time = wireMicroTime(now);
  const leaseTransitions = before?.leaseTransitions ?? 0;
  return { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time, leaseTransitions };
}
