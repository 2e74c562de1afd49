/** Certificates and requests for them: DER, names, PKCS #10. */
export * from "./x509/certificate-request.ts";
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
} from "./x509/der-reader.ts";
export * from "./x509/subject.ts";
