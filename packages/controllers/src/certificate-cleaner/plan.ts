/** When a certificate signing request is deleted. */
import type { certificatesV1 } from "@coxswain/api";
import { millisOf } from "@coxswain/machinery";

export type Csr = certificatesV1.CertificateSigningRequest;

export interface ObservedRequest {
  readonly csr: Csr;
  /** Milliseconds since the epoch; undefined when there is no certificate that can be read. */
  readonly certificateEndMs: number | undefined;
  readonly nowMs: number;
}

export type CleanerPlan = { readonly do: "nothing" } | { readonly do: "wait"; readonly afterMs: number } | { readonly do: "delete" };

export function plan({ csr, certificateEndMs, nowMs }: ObservedRequest): CleanerPlan {
  const atMs = expiryOf(csr, certificateEndMs);
  if (atMs === undefined) return { do: "nothing" };
  return atMs >= nowMs ? { do: "wait", afterMs: atMs - nowMs + 1 } : { do: "delete" };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * When it may go: milliseconds since the epoch. An hour after it was issued, denied or failed; a day after it was made, or
 * approved, if nothing has come of it; and with the certificate's own end, when that is known.
 */
export function expiryOf({ metadata, status }: Csr, certificateEndMs?: number): number | undefined {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return after(metadata?.creationTimestamp, dayMs);
  const isIssued = (status?.certificate ?? "") !== "";
  const times = conditions.flatMap(({ type, lastUpdateTime }) => {
    if (type === "Denied" || type === "Failed") return after(lastUpdateTime, hourMs) ?? [];
    return type === "Approved" ? (after(lastUpdateTime, isIssued ? hourMs : dayMs) ?? []) : [];
  });
  const isApproved = conditions.some(({ type }) => type === "Approved");
  if (isIssued && isApproved && certificateEndMs !== undefined) times.push(certificateEndMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

function after(time: string | undefined, ms: number): number | undefined {
  const since = millisOf(time);
  return since === undefined ? undefined : since + ms;
}
