/** The certificate with which a kubelet in a process of its own serves: asked for at its first start, and again before it ends. */
import type { X509Certificate } from "node:crypto";
import type { Log } from "@coxswain/apiserver";
import type { Client } from "@coxswain/client";
import { messageOf, type RandomSource, sleep } from "@coxswain/machinery";
import { dayMs, type KeyPair, type ServedNames } from "@coxswain/pki/node";
import { readIfThere } from "../access/private-file.ts";
import { certificateOf, isSuitable, issue, wantedOfKubelet } from "../pki/certificates.ts";
import { currentCertificate, keepCertificate } from "./kept-certificate.ts";
import type { ServingCredentials } from "./nodes-settings.ts";
import { rotationTime, sleepUntil } from "./rotation-time.ts";
import { type PendingCertificate, requestServingCertificate } from "./serving-certificate.ts";

export interface ServingRotation {
  /** As the node, or who starts it. */
  readonly client: Client;
  readonly node: string;
  readonly names: ServedNames;
  readonly random: RandomSource;
  readonly log: Pick<Log, "info" | "warn">;
  /** Where the cluster's certificate outlives the process; undefined: nowhere. */
  readonly kept?: KeptServing;
}

export interface KeptServing {
  readonly certDir: string;
  /** Who may have signed one that still counts: not the authority of another cluster. */
  readonly authorities: readonly X509Certificate[];
}

/** How long a signature is waited for at the start, where nobody else has to approve. Milliseconds. */
const signTimeoutMs = 10_000;
/** How long a signature is waited for where somebody has to approve: then the cluster forgets the request. Milliseconds. */
const approveTimeoutMs = dayMs;
/** After an attempt that failed. Milliseconds. */
const retryMs = 10 * 60_000;

/** API servers that ask for no authority's signature, as kube-apiserver does not by default, take the kubelet's own as well. */
export async function servingCredentials(rotation: ServingRotation): Promise<ServingCredentials> {
  const { client, node, names, log } = rotation;
  const kept = keptCertificate(rotation);
  if (kept !== undefined) return { current: kept, follow: (use, signal) => rotate(rotation, { current: kept, use }, signal) };
  const own = signedByItself(rotation);
  try {
    const asked = await requestServingCertificate(client, node, names);
    if (asked.isApproved) {
      const current = await signedWithin(signTimeoutMs, asked, client);
      keep(rotation, current);
      return { current, follow: (use, signal) => rotate(rotation, { current, use }, signal) };
    }
    const how = `kubectl certificate approve ${asked.name}`;
    log.info({ node, approve: how }, "waiting for somebody to approve the serving certificate; the kubelet signs its own until then");
    return { current: own, follow: (use, signal) => rotate(rotation, { current: own, asked, use }, signal) };
  } catch (error) {
    log.warn({ error }, "failed to request a serving certificate; the kubelet signs its own");
    return { current: own, follow: (use, signal) => rotate(rotation, { current: own, use }, signal) };
  }
}

/** That of an earlier start, where it is still good for this node, its names and this cluster. */
function keptCertificate({ kept, node, names, client }: ServingRotation): KeyPair | undefined {
  const pem = kept && readIfThere(currentCertificate(kept.certDir, "kubelet-server"));
  if (pem === undefined) return undefined;
  const pair = { cert: pem, key: pem };
  const certificate = certificateOf(pair);
  if (certificate === undefined || !certificate.subject.split("\n").includes(`CN=system:node:${node}`)) return undefined;
  const now = client.clock.now();
  if (now < certificate.validFromDate.getTime() || now >= certificate.validToDate.getTime()) return undefined;
  const isKnown = kept?.authorities.some((authority) => isSuitable(certificate, { cert: authority.toString() }, { names }));
  return isKnown === true ? pair : undefined;
}

function keep({ kept, client }: ServingRotation, pair: KeyPair): void {
  if (kept !== undefined) keepCertificate(kept.certDir, "kubelet-server", pair, client.clock.now());
}

const signedByItself = ({ client, node, names }: ServingRotation): KeyPair =>
  issue("self", wantedOfKubelet(node, names), client.clock.now());

/** @throws Error when it is denied, or not signed in time */
async function signedWithin(ms: number, asked: PendingCertificate, { clock }: Client, signal?: AbortSignal): Promise<KeyPair> {
  const late = new AbortController();
  using _timer = clock.schedule(ms, () => late.abort(new Error("nobody has signed it")));
  return await asked.signed(signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]));
}

interface Served {
  readonly current: KeyPair;
  /** What is waited for already. */
  readonly asked?: PendingCertificate;
  readonly use: (next: KeyPair) => void;
}

/** Settles once aborted. While nobody signs one, the kubelet signs its own before the last one ends. */
async function rotate(rotation: ServingRotation, { current, asked, use }: Served, signal: AbortSignal): Promise<void> {
  const { client, node, names, random, log } = rotation;
  const { clock } = client;
  let pair = current;
  const take = (next: KeyPair): void => {
    pair = next;
    use(next);
  };
  for (let pending = asked; !signal.aborted; pending = undefined) {
    try {
      if (pending === undefined) await sleepUntil(clock, rotationTime(pair.cert, random.next()), signal);
      const next = pending ?? (await requestServingCertificate(client, node, names));
      const signed = await signedWithin(approveTimeoutMs, next, client, signal);
      keep(rotation, signed);
      take(signed);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ node, error: messageOf(error) }, "failed to rotate the serving certificate");
      if (rotationTime(pair.cert, 1) < clock.now()) take(signedByItself(rotation));
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
  }
}
