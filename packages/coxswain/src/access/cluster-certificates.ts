/**
 * The certificates of a control plane while it runs: each is made anew before it ends, and what others put in its place counts at once.
 * Whoever uses one follows it.
 */
import type { ContentProvider, Log } from "@coxswain/apiserver";
import { type Clock, messageOf, type Timer } from "@coxswain/machinery";
import { dayMs, type KeyPair, type ServedNames } from "@coxswain/pki/node";
import type { CertificateFiles } from "../options/certificate-options.ts";
import { type Authority, keepAuthority, readAuthority, signerOf } from "../pki/authority.ts";
import {
  authorityNameOf,
  type CertificateName,
  certificateNames,
  certificateOf,
  isSuitable,
  issue,
  readPair,
  renewalTimeOf,
  type Wanted,
  wantedCertificates,
  wantedOfKubelet,
  wantedOfKubeletClient,
  writePair,
} from "../pki/certificates.ts";
import type { PemStore } from "../pki/pem-store.ts";
import { StartError } from "../process/start-error.ts";
import { watchFolders } from "../process/watch-folders.ts";
import { checkFiles, clusterAuthority, foldersOf, ownServingPair } from "./certificate-sources.ts";
import { FollowedValue } from "./followed-value.ts";
import { pemMemory } from "./private-file.ts";

export interface CertificatesOptions {
  readonly store: PemStore;
  readonly files?: CertificateFiles | undefined;
  /** What clients call the API server. */
  readonly served: ServedNames;
  readonly admin: { readonly name: string; readonly groups: readonly string[] };
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** How often it is looked whether files have changed, where the system does not say so. Milliseconds; default: a minute. */
  readonly pollMs?: number;
}

/** A certificate that is followed. */
interface Leaf {
  readonly name: string;
  readonly store: PemStore;
  readonly wanted: Wanted;
  readonly authority: ContentProvider<Authority>;
  readonly value: FollowedValue<KeyPair>;
  /** Milliseconds since the epoch. */
  due: number;
}

const defaultPollMs = 60_000;
/** After one that failed. Milliseconds. */
const retryMs = 10 * 60_000;

export class ClusterCertificates implements Disposable {
  readonly authority: ContentProvider<Authority>;
  readonly frontProxyAuthority: ContentProvider<Authority>;
  readonly #options: CertificatesOptions;
  readonly #files: CertificateFiles;
  readonly #authority: FollowedValue<Authority>;
  readonly #frontProxyAuthority: FollowedValue<Authority>;
  readonly #leaves = new Map<string, Leaf>();
  readonly #watched: Disposable;
  #timer: Timer | undefined;
  #ended = false;

  /** Makes what is missing. @throws StartError for what cannot be used, and for what is missing and cannot be made here */
  constructor(options: CertificatesOptions) {
    const { store, files = {}, clock, served, admin } = options;
    checkFiles(files);
    this.#options = options;
    this.#files = files;
    const now = clock.now();
    this.#authority = new FollowedValue(inWordsForUsers(() => clusterAuthority(store, files, now)));
    this.#frontProxyAuthority = new FollowedValue(inWordsForUsers(() => keepAuthority(store, "front-proxy-ca", now)));
    this.authority = this.#authority;
    this.frontProxyAuthority = this.#frontProxyAuthority;
    const wanted = wantedCertificates(served, admin);
    for (const name of certificateNames) {
      const authority = authorityNameOf(name) === "ca" ? this.#authority : this.#frontProxyAuthority;
      inWordsForUsers(() => this.#add(name, { store, wanted: wanted[name], authority }));
    }
    this.#watched = watchFolders(foldersOf(store, files), () => this.#refresh());
    this.#schedule();
  }

  /** The one of now, and those after it. */
  pair(name: CertificateName): ContentProvider<KeyPair> {
    const leaf = this.#leaves.get(name);
    if (leaf === undefined) throw new Error(`there is no certificate ${name}`);
    return leaf.value;
  }

  /** With which a kubelet of this process serves: signed by itself where nothing is signed here. */
  kubeletServing(node: string, names: ServedNames): ContentProvider<KeyPair> {
    const made = this.#add(`kubelet-serving ${node}`, {
      store: pemMemory(),
      wanted: wantedOfKubelet(node, names),
      authority: this.#authority,
    });
    this.#schedule();
    return made.value;
  }

  /** By which the API server knows a kubelet that a process of its own is started for. */
  kubeletClient(node: string): ContentProvider<KeyPair> {
    const made = this.#add(`kubelet-client ${node}`, {
      store: pemMemory(),
      wanted: wantedOfKubeletClient(node),
      authority: this.#authority,
    });
    this.#schedule();
    return made.value;
  }

  /** In PEM: what clients have to trust so that they can talk to the API server. */
  get servingAuthorities(): string {
    const { cert } = this.#authority.current;
    const serving = this.pair("apiserver").current;
    const certificate = certificateOf(serving);
    if (certificate === undefined || isSuitable(certificate, this.#authority.current, {})) return cert;
    const last = serving.cert.trim().lastIndexOf("-----BEGIN CERTIFICATE-----");
    return `${cert.trimEnd()}\n${serving.cert.slice(last).trim()}\n`;
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
    this.#watched[Symbol.dispose]();
  }

  #add(name: string, { store, wanted, authority }: Pick<Leaf, "store" | "wanted" | "authority">): Leaf {
    const { pair, due } = this.#pairOf({ name, store, wanted, authority }, undefined);
    const leaf = { name, store, wanted, authority, value: new FollowedValue(pair), due };
    this.#leaves.set(name, leaf);
    return leaf;
  }

  /** What is there, if it will do, or a new one. @throws Error where there is none and none can be made */
  #pairOf(
    { name, store, wanted, authority: { current: authority } }: Pick<Leaf, "name" | "store" | "wanted" | "authority">,
    last: KeyPair | undefined,
  ): { readonly pair: KeyPair; readonly due: number } {
    const now = this.#options.clock.now();
    const own = name === "apiserver" ? ownServingPair(this.#files) : undefined;
    if (own !== undefined) return { pair: own, due: Number.POSITIVE_INFINITY };
    const kept = readPair(store, name);
    const certificate = kept && certificateOf(kept);
    const lastOne = last && certificateOf(last);
    // Somebody else has written one half of the next one: it is waited for as long as there is time.
    if (kept !== undefined && certificate === undefined && last !== undefined && lastOne !== undefined && now < renewalTimeOf(lastOne))
      return { pair: last, due: now + retryMs };
    const isExternal = authority.key === undefined;
    if (kept !== undefined && certificate !== undefined && isSuitable(certificate, authority, wanted)) {
      const due = renewalTimeOf(certificate);
      if (now < due) return { pair: kept, due };
      if (isExternal && now < certificate.validToDate.getTime()) {
        this.#options.log.warn(
          { certificate: name, ends: certificate.validToDate },
          "a certificate ends soon, and its authority is externally managed",
        );
        return { pair: kept, due: now + dayMs };
      }
    }
    return this.#made({ name, store, wanted, authority }, now);
  }

  #made(
    { name, store, wanted, authority }: Pick<Leaf, "name" | "store" | "wanted"> & { readonly authority: Authority },
    now: number,
  ): { readonly pair: KeyPair; readonly due: number } {
    const signer = signerOf(authority) ?? (store.directory === undefined ? "self" : undefined);
    if (signer === undefined)
      throw new Error(
        `the certificate ${name} is missing or has ended, and its authority is externally managed: put ${name}.crt and ${name}.key into ${store.directory}`,
      );
    const pair = issue(signer, wanted, now);
    writePair(store, name, pair);
    const certificate = certificateOf(pair);
    return { pair, due: certificate === undefined ? now + retryMs : renewalTimeOf(certificate) };
  }

  #schedule(): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#ended) return;
    const { clock, store, pollMs = defaultPollMs } = this.#options;
    const now = clock.now();
    const due = Math.min(...[...this.#leaves.values()].map((leaf) => leaf.due));
    const isFollowed = foldersOf(store, this.#files).length > 0;
    // Timers of a process take no more than 24 days.
    this.#timer = clock.schedule(Math.min(Math.max(due - now, 0), isFollowed ? pollMs : dayMs), () => this.#refresh());
    this.#timer.unref();
  }

  #refresh(): void {
    if (this.#ended) return;
    this.#attempt("ca", () => setIfOther(this.#authority, clusterAuthority(this.#options.store, this.#files, undefined)));
    this.#attempt("front-proxy-ca", () => setIfOther(this.#frontProxyAuthority, readAuthority(this.#options.store, "front-proxy-ca")));
    for (const leaf of this.#leaves.values()) {
      const isDone = this.#attempt(leaf.name, () => {
        const { pair, due } = this.#pairOf(leaf, leaf.value.current);
        leaf.due = due;
        if (!setIfOther(leaf.value, pair)) return;
        const ends = certificateOf(pair)?.validToDate;
        this.#options.log.info({ certificate: leaf.name, ends }, "serving and asking with a new certificate");
      });
      if (!isDone) leaf.due = this.#options.clock.now() + retryMs;
    }
    this.#schedule();
  }

  /** Whatever goes wrong, the last one counts until it works. */
  #attempt(certificate: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#options.log.error(
        { certificate, error: messageOf(error) },
        "failed to renew a certificate, or to take the one that was put in its place",
      );
      return false;
    }
  }
}

/** @throws StartError, or what the system says of the folder */
function inWordsForUsers<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw error;
    throw new StartError(messageOf(error), { cause: error });
  }
}

/** Whether it was another one. */
function setIfOther<T extends { readonly cert: string; readonly key: string | undefined }>(
  value: FollowedValue<T>,
  next: T | undefined,
): boolean {
  if (next === undefined || (next.cert === value.current.cert && next.key === value.current.key)) return false;
  value.set(next);
  return true;
}
