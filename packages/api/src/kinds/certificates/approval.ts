/** What the server adds to a CertificateSigningRequest: who asks, and when it was decided. */
import type { FieldError } from "@coxswain/machinery";
import type { CertificateSigningRequest } from "../../types/certificates-v1.ts";
import { certificateSigningRequest, validateStatusChange } from "./certificate-signing-request.ts";
import { stampConditions } from "./condition-times.ts";

export interface Requester {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Create only, after the client's claims about itself were cleared. In place. */
export function stampRequester(obj: CertificateSigningRequest, { username, uid, groups = [], extra = {} }: Requester): void {
  const extras = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  obj.spec = {
    ...obj.spec,
    username,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extras.length > 0 ? { extra: Object.fromEntries(extras) } : {}),
  };
}

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
