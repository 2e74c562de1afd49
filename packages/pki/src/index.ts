/** Certificates, requests for them and DER, read and written without the platform's help: runs anywhere. Keys, signatures and issuing are `@coxswain/pki/node`. */
export {
  DerError,
  type Element,
  expect,
  partsOf,
  readBitString,
  readElement,
  readElements,
  readObjectIdentifier,
  readText,
  tags,
} from "./der/reader.ts";
export { certificateEndMs, subjectKeyIdOf, subjectOf } from "./x509/certificate.ts";
export { type AlternativeNames, type CertificateRequest, readCertificateRequest, requestInPem } from "./x509/certificate-request.ts";
export { ipBytes } from "./x509/ip-bytes.ts";
export { type Attribute, attributeTypes, commonNameOf, nameWith, readName, valuesOf, writeName } from "./x509/name.ts";
export { certificateBlocks, type PemBlock, pemBlocks } from "./x509/pem.ts";
