/** An etcd with TLS, and the certificates for it and its clients. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import {
  dayMs,
  exportKey,
  issueCertificate,
  issuePair,
  issuerOf,
  type KeyPair,
  newKeys,
  newSerial,
  noNames,
  type ServedNames,
} from "@coxswain/pki/node";
import { etcdPrograms } from "../etcd-program.ts";
import { freePort } from "../free-port.ts";

/** Signs servers and clients. */
export function authority(name: string): KeyPair {
  const keys = newKeys();
  const subject = nameWith(name);
  const cert = issueCertificate({
    ...{ subject, publicKey: keys.publicKey, issuer: { subject, ...keys }, serial: newSerial(), authority: true, names: noNames },
    ...{ notBefore: Date.now() - dayMs, notAfter: Date.now() + dayMs, usages: ["digital signature", "cert sign"] },
  });
  return { cert, key: exportKey(keys.privateKey) };
}

/** @param now when it begins, about; it is good for a year */
export const serverPair = (ca: KeyPair, names: ServedNames = { dns: ["localhost"], ip: ["127.0.0.1"] }, now = Date.now()): KeyPair =>
  issuePair(issuerOf(ca), { subject: nameWith("etcd"), usage: "server auth", names }, now);

export const clientPair = (ca: KeyPair, user: string, now = Date.now()): KeyPair =>
  issuePair(issuerOf(ca), { subject: nameWith(user), usage: "client auth" }, now);

export interface SecuredEtcd extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Without TLS: whoever comes there is nobody. */
  readonly plainUrl: string;
}

/** Answers when it resolves. It wants of each client a certificate that `ca` has signed. */
export async function startSecuredEtcd(pair: KeyPair, ca: Pick<KeyPair, "cert">): Promise<SecuredEtcd> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-etcd-"));
  const file = (name: string, pem: string): string => {
    writeFileSync(join(folder, name), pem);
    return join(folder, name);
  };
  const [port, plain, peer, metrics] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const [url, plainUrl, peerUrl] = [`https://127.0.0.1:${port}`, `http://127.0.0.1:${plain}`, `http://127.0.0.1:${peer}`];
  const program = etcdPrograms().find(({ version }) => version !== undefined);
  if (program === undefined) throw new Error("etcd is not installed");
  const child = spawn(
    program.path,
    [
      ...["--name=one", `--data-dir=${folder}/data`, `--listen-client-urls=${url},${plainUrl}`, `--advertise-client-urls=${url}`],
      ...[`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=one=${peerUrl}`],
      ...[`--cert-file=${file("server.crt", pair.cert)}`, `--key-file=${file("server.key", pair.key)}`],
      ...["--client-cert-auth", `--trusted-ca-file=${file("ca.crt", ca.cert)}`, `--listen-metrics-urls=http://127.0.0.1:${metrics}`],
      "--unsafe-no-fsync=true",
    ],
    { stdio: "ignore" },
  );
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const died = once(child, "exit").then(() => Promise.reject(new Error("etcd has ended")));
    died.catch(() => undefined);
    const isHealthy = () =>
      fetch(`http://127.0.0.1:${metrics}/health`, { signal: AbortSignal.timeout(hangMs) }).then(
        ({ ok }) => ok,
        () => false,
      );
    await Promise.race([died, waitUntil("etcd to answer", isHealthy)]);
    return { port, url, plainUrl, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
