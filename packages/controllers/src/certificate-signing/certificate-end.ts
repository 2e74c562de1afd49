import { X509Certificate } from "node:crypto";

/** When a certificate in base64 of PEM ends: milliseconds since the epoch; undefined without one that can be read. */
export function certificateEndMs(base64: string | undefined): number | undefined {
  if (base64 === undefined || base64 === "") return undefined;
  try {
    return new X509Certificate(Buffer.from(base64, "base64")).validToDate.getTime();
  } catch {
    return undefined;
  }
}
