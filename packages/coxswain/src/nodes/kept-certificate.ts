/** Certificates that a kubelet keeps, each with its key in one file, and a link to the newest: named as Kubernetes' kubelet names them. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { KeyPair } from "@coxswain/pki/node";
import { writePrivately } from "../access/private-file.ts";

/** By which it is known to the API server, and with which it serves. */
export type KubeletCertificate = "kubelet-client" | "kubelet-server";

/** Where the newest certificate and its key are. */
export const currentCertificate = (certDir: string, name: KubeletCertificate): string => join(certDir, `${name}-current.pem`);

/** Both in one file, so that nobody reads the one of now with the other of before. */
export function keepCertificate(certDir: string, name: KubeletCertificate, { cert, key }: KeyPair, nowMs: number): void {
  mkdirSync(certDir, { recursive: true, mode: 0o700 });
  const file = `${name}-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[T:]/g, "-")}.pem`;
  writePrivately(join(certDir, file), `${cert}${key}`);
  const current = currentCertificate(certDir, name);
  const next = `${current}.next`;
  rmSync(next, { force: true });
  symlinkSync(file, next);
  renameSync(next, current);
}
