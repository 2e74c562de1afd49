/** Credentials that another process replaces from time to time. */
import type { Clock } from "@coxswain/machinery";
import type { Cancellable } from "../transport/cancellable.ts";
import type { Credential, Credentials } from "../transport/credentials.ts";

export interface Obtained {
  readonly credential: Credential;
  /** By the clock's `now()`; absent when it is good until a server refuses it. */
  readonly expiresAt?: number | undefined;
}

/**
 * Obtains a credential when one is needed, once for all who wait for it, and again when it has expired or was refused.
 * When a new one cannot be had, the request fails.
 */
export function renewedCredentials(clock: Clock, obtain: (last: Credential | undefined) => Promise<Obtained>): Credentials {
  let present: Obtained | undefined;
  let underWay: Promise<Obtained> | undefined;
  const renew = (): Promise<Obtained> => {
    underWay ??= obtain(present?.credential)
      .then((obtained) => {
        present = obtained;
        return obtained;
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };
  return {
    async current({ signal }: Cancellable = {}) {
      if (present !== undefined && (present.expiresAt === undefined || clock.now() < present.expiresAt)) return present.credential;
      return (await unlessAborted(renew(), signal)).credential;
    },
    async renew(refused, { signal }: Cancellable = {}) {
      if (present === undefined || present.credential === refused) await unlessAborted(renew(), signal);
    },
  };
}

/** The work goes on for others; only the one who no longer waits is let go. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
