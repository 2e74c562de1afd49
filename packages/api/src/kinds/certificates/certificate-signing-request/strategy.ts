import type { CertificateSigningRequest } from "@coxswain/types/certificates-v1";
import { defineKind, type Requester } from "../../../strategy/strategy.ts";
import { certificateSigningRequestColumns } from "./columns.ts";
import { certificateSigningRequestSubresources } from "./subresources.ts";
import { certificateSigningRequestValidation } from "./validation.ts";

/**
 * Who asks is for the server to say: the requester's fields are cleared here and set by `stampRequester`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
 */
export const certificateSigningRequest = defineKind<CertificateSigningRequest>({
  type: "io.k8s.api.certificates.v1.CertificateSigningRequest",
  metadataPasses: ["whole", "changes"],
  name: "pathSegment",
  generation: "never",
  prepareForCreate(obj, by) {
    const { username: _, uid: __, groups: ___, extra: ____, ...spec } = obj.spec ?? {};
    obj.spec = spec;
    obj.status = {};
    if (by !== undefined) stampRequester(obj, by);
  },
  prepareForUpdate(next, prev) {
    next.spec = structuredClone(prev.spec);
  },
  /** The status belongs to the signer, but not the decision. */
  resetFields: [["spec"]],
  subresources: certificateSigningRequestSubresources,
  ...certificateSigningRequestValidation,
  selectableFields: ({ spec }) => ({ "spec.signerName": spec?.signerName ?? "" }),
  columns: certificateSigningRequestColumns,
});

/** The client's own claims about itself were cleared before. In place. */
function stampRequester(obj: CertificateSigningRequest, { username, uid, groups = [], extra = {} }: Requester): void {
  const extras = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  obj.spec = {
    ...obj.spec,
    username,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extras.length > 0 ? { extra: Object.fromEntries(extras) } : {}),
  };
}
