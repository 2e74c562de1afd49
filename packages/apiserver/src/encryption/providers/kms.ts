/**
 * Values whose keys a key management service encrypts (KMS v2).
 * @see https://kubernetes.io/docs/tasks/administer-cluster/kms-provider/
 */
import { hash, randomBytes, randomUUID } from "node:crypto";
import { type Clock, messageOf } from "@coxswain/machinery";
import { TransformError } from "@coxswain/store";
import { aesGcm } from "./aes-gcm.ts";
import { decodeEncryptedObject, type EncryptedSeed, encodeEncryptedObject } from "./encrypted-object.ts";
import { extendedNonceGcm } from "./extended-nonce-gcm.ts";
import type { Opened, Provider } from "./provider.ts";

/** The service. Each call may fail. */
export interface KmsService {
  status(): Promise<{ readonly version: string; readonly healthz: string; readonly keyId: string }>;
  encrypt(plaintext: Uint8Array, uid: string): Promise<Pick<EncryptedSeed, "keyId" | "annotations"> & { readonly ciphertext: Uint8Array }>;
  decrypt(encrypted: Omit<EncryptedSeed, "type">, uid: string): Promise<Uint8Array>;
}

/** Of what is written now. */
interface WriteState {
  readonly provider: Provider;
  readonly seed: EncryptedSeed;
  /** Monotonic milliseconds. */
  readonly expiresAt: number;
}

/** How long the service may fail before nothing can be written. */
const maxWriteMs = 180_000;
const probeMs = 60_000;
const probeAfterFailureMs = 10_000;
const seedBytes = 32;
const maxKeyIdBytes = 1_024;

/** Asks its service when it starts, each minute from then on, and for the seeds of values that others have written. */
export class KmsProvider implements Provider, Disposable {
  readonly #name: string;
  readonly #service: KmsService;
  readonly #clock: Clock;
  readonly #onFailure: (error: string) => void;
  /** By what is stored of the seed. */
  readonly #seeds = new Map<string, Provider>();
  readonly #failures = new Map<string, string>();
  #state: WriteState | undefined;
  #timer: Disposable | undefined;
  #ended = false;
  /** What was wrong when it asked last. */
  failure: string | undefined;

  constructor(
    name: string,
    service: KmsService,
    { clock, onFailure }: { readonly clock: Clock; readonly onFailure: (error: string) => void },
  ) {
    this.#name = name;
    this.#service = service;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Never rejects: a service that is not there yet is asked again. */
  async start(): Promise<void> {
    this.failure = await this.#probe().then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    if (this.failure !== undefined) this.#onFailure(this.failure);
    if (this.#ended) return;
    const timer = this.#clock.schedule(this.failure === undefined ? probeMs : probeAfterFailureMs, () => void this.start());
    timer.unref();
    this.#timer = timer;
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
  }

  checkWrite(): void {
    const { seed, expiresAt } = this.#current();
    if (this.#clock.monotonic() > expiresAt) {
      const now = this.#clock.now();
      const at = now - (this.#clock.monotonic() - expiresAt);
      const when = `${secondsOf(at)} (current time is ${secondsOf(now)})`;
      throw new TransformError(`encryptedDEKSource with keyID hash "${hashOf(seed.keyId)}" expired at ${when}`);
    }
  }

  seal(value: Uint8Array, context: Uint8Array): Uint8Array {
    const { provider, seed } = this.#current();
    return encodeEncryptedObject({ ...seed, data: provider.seal(value, context) });
  }

  open(sealed: Uint8Array, context: Uint8Array): Opened {
    const { data, ...seed } = decodeEncryptedObject(sealed);
    const current = this.#current();
    const id = idOf(seed);
    const provider = this.#seeds.get(id);
    if (provider === undefined) throw new TransformError(`failed to decrypt DEK, error: ${this.#failures.get(id) ?? "not asked yet"}`);
    const { value } = provider.open(data, context);
    return { value, stale: seed.keyId !== current.seed.keyId || seed.type !== "seed" };
  }

  async prepare(sealed: Uint8Array): Promise<void> {
    let seed: EncryptedSeed;
    try {
      seed = decodeEncryptedObject(sealed);
    } catch {
      return; // `open` says what is wrong.
    }
    const id = idOf(seed);
    if (this.#seeds.has(id)) return;
    try {
      const key = await this.#service.decrypt(seed, randomUUID());
      this.#seeds.set(id, seed.type === "seed" ? extendedNonceGcm(key) : aesGcm(key));
      this.#failures.delete(id);
    } catch (error) {
      this.#failures.set(id, messageOf(error));
    }
  }

  #current(): WriteState {
    if (this.#state === undefined) throw new TransformError("got unexpected nil transformer");
    return this.#state;
  }

  async #probe(): Promise<void> {
    const unhealthy = (problem: string): Error => new Error(`kmsv2 Provider ${this.#name} is not healthy, error: ${problem}`);
    const { version, healthz, keyId } = await this.#service.status().catch((error: unknown) => {
      const what = `failed to perform status section of the healthz check for KMS Provider ${this.#name}`;
      throw new Error(`${what}, error: ${messageOf(error)}`, { cause: error });
    });
    if (healthz !== "ok") throw unhealthy(`got unexpected healthz status: ${healthz}`);
    if (version !== "v2" && version !== "v2beta1") throw unhealthy(`expected KMSv2 API version v2, got ${version}`);
    if (keyId === "") throw unhealthy(`got invalid KMSv2 KeyID hash "": keyID is empty`);
    if (Buffer.byteLength(keyId) > maxKeyIdBytes) throw unhealthy(`got invalid KMSv2 KeyID hash "${hashOf(keyId)}": keyID is too long`);
    const expiresAt = this.#clock.monotonic() + maxWriteMs;
    if (this.#state?.seed.keyId === keyId) this.#state = { ...this.#state, expiresAt };
    else this.#state = await this.#newSeed(keyId, expiresAt);
  }

  async #newSeed(keyId: string, expiresAt: number): Promise<WriteState> {
    const plain = randomBytes(seedBytes);
    const encrypted = await this.#service.encrypt(plain, randomUUID());
    if (encrypted.keyId !== keyId) {
      const ids = `statusKeyIDHash="${hashOf(keyId)}", encryptKeyIDHash="${hashOf(encrypted.keyId)}"`;
      throw new Error(`failed to rotate DEK, ${ids}`);
    }
    const seed = { keyId, encryptedSeed: encrypted.ciphertext, annotations: encrypted.annotations, type: "seed" as const };
    const provider = extendedNonceGcm(plain);
    this.#seeds.set(idOf(seed), provider);
    return { provider, seed, expiresAt };
  }
}

const idOf = ({ keyId, encryptedSeed, annotations, type }: EncryptedSeed): string =>
  Buffer.from(encodeEncryptedObject({ keyId, encryptedSeed, annotations, type, data: new Uint8Array() })).toString("base64");

/** As RFC 3339 has it, in UTC. */
const secondsOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, "Z");

const hashOf = (keyId: string): string => `sha256:${hash("sha256", keyId, "hex")}`;
