/** With what the API server of envtest serves: the pair that it is given, as kube-apiserver finds it, or one that it makes. */
import { mkdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { ServiceIpRanges } from "@coxswain/apiserver";
import type { KeyPair } from "@coxswain/pki/node";
import { pemMemory, readIfThere, writePrivately } from "../access/private-file.ts";
import { servingCredentials } from "../pki/credentials.ts";
import { servedNames } from "../pki/served-names.ts";
import { startErrorOf } from "../process/start-error.ts";

interface ServingSettings {
  readonly address: string;
  readonly serviceIpRanges: Pick<ServiceIpRanges, "apiServerServiceIp">;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** Holds `apiserver.crt` and `apiserver.key`, or gets them. */
  readonly certDir: string | undefined;
}

/** @throws StartError */
export function servingPair({ address, serviceIpRanges, certFile, keyFile, certDir }: ServingSettings, now: number): KeyPair {
  try {
    if (certFile !== undefined && keyFile !== undefined)
      return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
    const [certPath, keyPath] = ["apiserver.crt", "apiserver.key"].map((name) => (certDir === undefined ? undefined : join(certDir, name)));
    const cert = certPath === undefined ? undefined : readIfThere(certPath);
    const key = keyPath === undefined ? undefined : readIfThere(keyPath);
    if (cert !== undefined && key !== undefined) return { cert, key };
    const names = servedNames({ address, hostname: hostname(), addresses: [], serviceIp: serviceIpRanges.apiServerServiceIp });
    const made = servingCredentials(pemMemory(), names, now);
    if (certDir !== undefined && certPath !== undefined && keyPath !== undefined) {
      mkdirSync(certDir, { recursive: true });
      writePrivately(certPath, made.cert);
      writePrivately(keyPath, made.key);
    }
    return made;
  } catch (error) {
    throw startErrorOf("cannot use the serving certificate", error);
  }
}
