/** With what a server serves that keeps nothing else: an authority of its own, and a certificate of that. */
import { nameWith } from "@coxswain/pki";
import type { ServedNames } from "@coxswain/pki/node";
import { keepAuthority, signerOf } from "./authority.ts";
import { certificateOf, isSuitable, issue, readPair, renewalTimeOf, type Wanted, writePair } from "./certificates.ts";
import type { PemStore } from "./pem-store.ts";

export interface ServingCredentials {
  readonly authority: string;
  readonly authorityKey: string;
  readonly cert: string;
  readonly key: string;
}

/** `now` in milliseconds since the epoch. A certificate that lacks one of the names is issued again by the same authority. */
export function servingCredentials(store: PemStore, names: ServedNames, now: number): ServingCredentials {
  const authority = keepAuthority(store, "ca", now);
  const signer = signerOf(authority);
  if (signer === undefined || authority.key === undefined) throw new Error("the key of the authority is not here");
  const wanted: Wanted = { subject: nameWith("kube-apiserver"), usage: "server auth", names };
  const kept = readPair(store, "apiserver");
  const certificate = kept && certificateOf(kept);
  const isGood = certificate !== undefined && renewalTimeOf(certificate) > now && isSuitable(certificate, authority, wanted);
  const pair = kept !== undefined && isGood ? kept : issue(signer, wanted, now);
  if (pair !== kept) writePair(store, "apiserver", pair);
  return { authority: authority.cert, authorityKey: authority.key, ...pair };
}
