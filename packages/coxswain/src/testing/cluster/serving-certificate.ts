import { systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair, type KeyPair } from "@coxswain/pki/node";

/** A certificate that signs itself and its key, both in PEM. */
export interface ServingCertificate extends KeyPair {
  /** The certificate as a `caBundle` has it: PEM in base64. */
  readonly caBundle: string;
}

/** A certificate that signs itself, for webhooks in simulated Pods: `web.default.svc`. It is good for a year of real time. */
export function servingCertificate(...dns: readonly string[]): ServingCertificate {
  const subject = nameWith(dns[0] ?? "localhost");
  const pair = issuePair("self", { subject, usage: "server auth", names: { dns, ip: [] } }, systemClock.now());
  return { ...pair, caBundle: Buffer.from(pair.cert).toString("base64") };
}
