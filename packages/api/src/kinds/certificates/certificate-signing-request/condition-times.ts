import type { CertificateSigningRequest } from "@coxswain/types/certificates-v1";

/** Times that a writer of conditions left out; a condition that keeps its status keeps its transition time. In place. */
export function stampConditions(next: CertificateSigningRequest, prev: Readonly<CertificateSigningRequest>, now: string): void {
  for (const condition of next.status?.conditions ?? []) {
    condition.lastUpdateTime ||= now;
    const same = prev.status?.conditions?.find(
      ({ type, status, lastTransitionTime }) => type === condition.type && status === condition.status && lastTransitionTime,
    );
    condition.lastTransitionTime ||= same?.lastTransitionTime ?? now;
  }
}
