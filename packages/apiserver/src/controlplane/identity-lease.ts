/**
 * A Lease by which others find out that this API server runs, and the removal of those whose servers were killed.
 * @see https://kubernetes.io/docs/concepts/architecture/leases/#api-server-identity
 */
import { hash } from "node:crypto";
import type { coordinationV1 } from "@coxswain/api";
import { type Clock, DisposableStack, type KubeObject, millisOf, type RandomSource, wireMicroTime } from "@coxswain/machinery";
import type { Log } from "../contracts/log.ts";
import { listObjects, type ObjectReader, readObject } from "../storage/object-reader.ts";
import type { AdvertisedAddress } from "./kubernetes-service.ts";
import type { ObjectKeeper } from "./object-keeper.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

type Lease = coordinationV1.Lease & KubeObject;

const namespace = "kube-system";
const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases" };
const component = "kube-apiserver";
const identityLabel = "apiserver.kubernetes.io/identity";
const durationSeconds = 3600;
const renewMs = 10_000;
/** Nobody else can miss the server then, and each renewal is a write. */
const renewAloneMs = 600_000;
const collectMs = 3_600_000;
/** What kube-apiserver listens on, and so the one port that does not make a name another one. */
const usualPort = 6443;

interface IdentityLeaseOptions {
  readonly reader: ObjectReader;
  readonly keeper: ObjectKeeper;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  /** Of the machine. */
  readonly hostname: string;
}

export class IdentityLease implements AsyncDisposable {
  readonly #options: IdentityLeaseOptions;
  readonly #renewals: ReconcileLoop;
  readonly #collections: ReconcileLoop;
  readonly #timers = new DisposableStack();
  #lease: Lease | undefined;
  /** Whether the Lease of an earlier server of the name is gone. */
  #isOwn = false;

  constructor(options: IdentityLeaseOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#renewals = new ReconcileLoop({ clock, log, what: "the Lease of the server" }, () => this.#renew());
    this.#collections = new ReconcileLoop({ clock, log, what: "Leases of servers that are gone" }, () => this.#collect());
  }

  start(advertised: AdvertisedAddress): void {
    const { hostname, random, reader } = this.#options;
    const name = serverIdentity(hostname, advertised.port);
    this.#lease = leaseOf({ name, hostname, holder: `${name}_${random.uuid()}`, advertised });
    this.#every(reader.store.expires === true ? renewMs : renewAloneMs, this.#renewals);
    this.#every(collectMs, this.#collections);
  }

  /** The Lease goes with its server. */
  async [Symbol.asyncDispose](): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    this.#timers[Symbol.dispose]();
    await Promise.all([this.#renewals[Symbol.asyncDispose](), this.#collections[Symbol.asyncDispose]()]);
    if (lease === undefined) return;
    try {
      await this.#options.keeper.remove(lease);
    } catch (error) {
      this.#options.log.warn({ error }, "failed to remove the Lease of the server");
    }
  }

  #every(ms: number, loop: ReconcileLoop): void {
    const timers = this.#timers;
    const again = (): void => {
      loop.trigger();
      timer = this.#options.clock.schedule(ms, again);
      timer.unref();
    };
    let timer = this.#options.clock.schedule(ms, again);
    timer.unref();
    timers.defer(() => timer[Symbol.dispose]());
    loop.trigger();
  }

  async #renew(): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined) return;
    const { keeper, clock } = this.#options;
    if (!this.#isOwn) await keeper.remove(lease);
    this.#isOwn = true;
    const spec = { ...lease.spec, renewTime: wireMicroTime(clock.now()) };
    await keeper.keep({ ...lease, spec } as Lease, (current) => amend(current as Lease, lease, spec));
  }

  /** What seems to have expired is looked at once more: its server may have come back. */
  async #collect(): Promise<void> {
    const { reader, keeper, clock } = this.#options;
    for (const { metadata } of await listObjects<Lease>(reader, leases, namespace)) {
      const { name = "", labels } = metadata ?? {};
      if (labels?.[identityLabel] !== component) continue;
      const lease = await readObject<Lease>(reader, leases, namespace, name);
      if (lease !== undefined && isExpired(lease, clock.now())) await keeper.remove(lease);
    }
  }
}

/**
 * As kube-apiserver derives it from the name of the machine; for another port than the usual one that counts, too, for there may be
 * several servers on one machine.
 */
export function serverIdentity(hostname: string, port: number): string {
  const host = port === usualPort ? hostname : `${hostname}:${port}`;
  const digest = hash("sha256", Buffer.concat([lengthPrefixed(host), lengthPrefixed(component)]), "buffer");
  return `apiserver-${base32(digest.subarray(0, 16))}`;
}

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}

/** RFC 4648 without padding, in small letters. */
function base32(bytes: Uint8Array): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  let [text, bits, pending] = ["", 0, 0];
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(pending >> (bits - 5)) & 31];
    pending &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(pending << (5 - bits)) & 31];
}

interface Identity {
  readonly name: string;
  readonly hostname: string;
  readonly holder: string;
  readonly advertised: AdvertisedAddress;
}

const leaseOf = ({ name, hostname, holder, advertised: { ip, port } }: Identity): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: {
    name,
    namespace,
    labels: { [identityLabel]: component, "kubernetes.io/hostname": hostname },
    ...(ip === undefined
      ? {}
      : { annotations: { "kubernetes.io/peer-advertise-address": ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}` } }),
  },
  spec: { holderIdentity: holder, leaseDurationSeconds: durationSeconds },
});

function amend(current: Lease, { metadata }: Lease, spec: coordinationV1.LeaseSpec): void {
  const { labels, annotations } = current.metadata ?? {};
  current.metadata = {
    ...current.metadata,
    labels: { ...labels, ...metadata?.labels },
    ...(metadata?.annotations === undefined ? {} : { annotations: { ...annotations, ...metadata.annotations } }),
  };
  current.spec = { ...current.spec, ...spec };
}

/** One without a time or a duration is no server's. */
function isExpired({ spec }: Lease, now: number): boolean {
  const renewedAt = millisOf(spec?.renewTime);
  const seconds = spec?.leaseDurationSeconds;
  return renewedAt === undefined || seconds === undefined || renewedAt + seconds * 1000 < now;
}
