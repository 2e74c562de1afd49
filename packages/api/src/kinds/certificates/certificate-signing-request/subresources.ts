/** What the server adds to a CertificateSigningRequest when it is decided. */
import type { FieldError } from "@coxswain/machinery";
import type { CertificateSigningRequest } from "../../../types/certificates-v1.ts";
import { stampConditions } from "./condition-times.ts";
import { certificateSigningRequest, validateStatusChange } from "./strategy.ts";

/** A write to /approval: of the client's object only the conditions count. `now` is RFC 3339. In place. */
export function prepareApproval(next: CertificateSigningRequest, prev: Readonly<CertificateSigningRequest>, now: string): void {
  stampConditions(next, prev, now);
  const { conditions } = next.status ?? {};
  next.spec = structuredClone(prev.spec);
  next.status = { ...structuredClone(prev.status ?? {}), ...(conditions === undefined ? {} : { conditions }) };
  if (conditions === undefined) delete next.status.conditions;
}

/** The rules for a write to /approval, after `prepareApproval`. */
export const validateApproval = (next: Readonly<CertificateSigningRequest>, prev: Readonly<CertificateSigningRequest>): FieldError[] => [
  ...(certificateSigningRequest.validate?.(next) ?? []),
  ...validateStatusChange(next, prev, "decision"),
];
