/**
 * Which API servers there are on a store that several share: each keeps a key with its address, which goes when nobody renews it.
 * kube-apiserver's are the same, so that the two know of each other.
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ `--endpoint-reconciler-type=lease`
 */
import type { coreV1 } from "@coxswain/api";
import type { Clock, KubeObject, Timer } from "@coxswain/machinery";
import type { Revision, Store } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import { encodeObject, textOf } from "../storage/stored-object.ts";

const prefix = "/registry/masterleases/";
const ttlSeconds = 15;
const renewMs = 10_000;
/** Of two servers at one address that renew at the same moment only one can: that the other has lost shows later. */
const sharedRenewals = 3;

type Endpoints = coreV1.Endpoints & KubeObject;

export interface ServerLeasesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** When other servers have come or gone. */
  readonly onChange: () => void;
}

export class ServerLeases implements AsyncDisposable {
  readonly #options: ServerLeasesOptions;
  #own: string | undefined;
  /** The revision of its last renewal. */
  #renewed: Revision | undefined;
  /** For how many more renewals another server counts that has renewed the same lease. */
  #sharedFor = 0;
  #others = 0;
  #timer: Timer | undefined;
  #renewing: Promise<void> | undefined;
  #subscription: Disposable | undefined;

  constructor(options: ServerLeasesOptions) {
    this.#options = options;
  }

  /** Keeps a lease for the address of this server, from the first call on. */
  async start(ip: string): Promise<void> {
    const { store, onChange } = this.#options;
    if (this.#subscription !== undefined) return;
    this.#own = ip;
    await this.#renew();
    this.#subscription = store.subscribe(prefix, { after: store.revision }, onChange);
    this.#schedule();
  }

  /** Whether no other server is known, at whatever address, as of the last call of `addresses`. */
  get isAlone(): boolean {
    return this.#others === 0 && this.#sharedFor === 0;
  }

  /** The addresses of all servers, in order; that of this one is among them as long as it runs. */
  async addresses(): Promise<string[]> {
    const { entries } = await this.#options.store.list(prefix);
    const found = new Set(entries.flatMap(({ value }) => addressIn(JSON.parse(textOf(value)) as Endpoints)));
    if (this.#own !== undefined) found.add(this.#own);
    this.#others = found.size - (this.#own === undefined ? 0 : 1);
    return [...found].sort();
  }

  /** The address is nobody's any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ip = this.#own;
    if (ip === undefined) return;
    this.#own = undefined;
    this.#timer?.[Symbol.dispose]();
    this.#subscription?.[Symbol.dispose]();
    await this.#renewing;
    const { store } = this.#options;
    const { entry } = await store.get(prefix + ip);
    if (entry !== undefined) await store.write({ op: "delete", key: entry.key, expect: entry.modified });
  }

  #schedule(): void {
    const { clock, log } = this.#options;
    this.#timer = clock.schedule(renewMs, () => {
      this.#renewing = this.#renew()
        .catch((error: unknown) => log.warn({ error }, "failed to renew the lease of the server"))
        .then(() => {
          if (this.#own !== undefined) this.#schedule();
        });
    });
    this.#timer.unref();
  }

  /** A write that loses was another server's at the same address: then its lease is as good. */
  async #renew(): Promise<void> {
    const ip = this.#own;
    if (ip === undefined) return;
    const { store } = this.#options;
    const { entry } = await store.get(prefix + ip);
    const isOwn = entry === undefined || entry.modified === this.#renewed;
    const generation = entry === undefined ? 1 : ((JSON.parse(textOf(entry.value)) as Endpoints).metadata?.generation ?? 0) + 1;
    const put = { op: "put", key: prefix + ip, value: leaseOf(ip, generation), expect: entry?.modified ?? "absent", ttlSeconds } as const;
    const written = await store.write(put);
    this.#renewed = written.ok ? written.entry?.modified : undefined;
    this.#sharedFor = isOwn && written.ok ? Math.max(0, this.#sharedFor - 1) : sharedRenewals;
  }
}

/** Its generation is what differs from renewal to renewal. */
const leaseOf = (ip: string, generation: number): Uint8Array =>
  encodeObject({ kind: "Endpoints", apiVersion: "v1", metadata: { generation }, subsets: [{ addresses: [{ ip }] }] } as Endpoints);

function addressIn({ subsets }: Endpoints): string[] {
  const ip = subsets?.[0]?.addresses?.[0]?.ip;
  return ip === undefined ? [] : [ip];
}
