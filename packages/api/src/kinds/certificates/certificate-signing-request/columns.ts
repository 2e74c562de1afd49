import type { CertificateSigningRequest } from "@coxswain/types/certificates-v1";
import { humanDuration } from "../../../table/age.ts";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const certificateSigningRequestColumns = defineColumns<CertificateSigningRequest>([
  nameColumn,
  ageColumn,
  { name: "SignerName", type: "string", description: "The signer that is asked.", value: ({ spec }) => spec?.signerName || "<none>" },
  { name: "Requestor", type: "string", description: "Who asks.", value: ({ spec }) => spec?.username ?? "" },
  {
    name: "RequestedDuration",
    type: "string",
    description: "How long the certificate should be valid.",
    value: ({ spec }) => (spec?.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000)),
  },
  { name: "Condition", type: "string", description: "What has been decided.", value: ({ status }) => conditionCell(status) },
]);

function conditionCell(status: Readonly<CertificateSigningRequest["status"]>): string {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) ?? false;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}
