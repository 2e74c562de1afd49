/** Keys, signatures and certificates, by Node's crypto. */
export { type AuthorityPems, CertificateAuthority } from "./certificate-authority.ts";
export { type CertificateTemplate, type Issuer, issueCertificate, type Usage } from "./issue-certificate.ts";
export { dayMs, issuePair, issuerOf, type KeyPair, newSerial, noNames, type ServedNames, type Subject, skewMs } from "./issue-pair.ts";
export { exportKey, type Keys, newKeys } from "./keys.ts";
export { parseSigningRequest, type SigningRequest, SigningRequestError } from "./signing-request.ts";
export { type WrittenRequest, writeSigningRequest } from "./write-signing-request.ts";
