/** Credentials in files, which may be replaced at any time. */
import { readFile } from "node:fs/promises";
import type { Clock } from "@coxswain/machinery";
import type { Credential, Credentials } from "../transport/credentials.ts";
import { renewedCredentials } from "./renewed-credentials.ts";

/** As client-go: half of what the kubelet leaves between writing a new token and the end of the old one. */
export const periodMs = 60_000;

export type Pem = string | Uint8Array;

export interface FileCredentials {
  readonly certificate?: { readonly cert: () => Promise<Pem>; readonly key: () => Promise<Pem> } | undefined;
  readonly tokenFile?: string | undefined;
  /** Without a token file, or while it cannot be read. */
  readonly authorization?: string | undefined;
}

/** @throws Error when something cannot be read */
export const fileCredentials = ({ certificate, tokenFile, authorization }: FileCredentials, clock: Clock): Credentials =>
  renewedCredentials(clock, async (last) => {
    const next: Credential = {
      authorization: tokenFile === undefined ? authorization : await tokenIn(tokenFile, authorization),
      certificate: certificate === undefined ? undefined : { cert: await certificate.cert(), key: await certificate.key() },
    };
    return { credential: keepCredential(last, next), expiresAt: clock.now() + periodMs };
  });

/** @throws Error when there is none */
export async function tokenIn(path: string, fallback: string | undefined): Promise<string> {
  try {
    const token = (await readFile(path, "utf8")).trim();
    if (token === "") throw new Error(`read empty token from file ${JSON.stringify(path)}`);
    return `Bearer ${token}`;
  } catch (error) {
    if (fallback !== undefined) return fallback;
    throw error;
  }
}

/** What reads the same is the same, so that no connection is given up for it. */
export function keepCredential(last: Credential | undefined, next: Credential): Credential {
  const [a, b] = [last?.certificate, next.certificate];
  const certificate = a !== undefined && b !== undefined && equal(a.cert, b.cert) && equal(a.key, b.key) ? a : b;
  return last !== undefined && certificate === a && last.authorization === next.authorization ? last : { ...next, certificate };
}

const equal = (a: Pem, b: Pem): boolean => Buffer.from(a).equals(Buffer.from(b));
