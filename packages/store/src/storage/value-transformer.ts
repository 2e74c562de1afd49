/** What values go through on their way to the disk and back, such as encryption. In memory they are as they were written. */
export interface ValueTransformer {
  /** Another number whenever values are transformed in another way than before. */
  readonly generation: number;
  /** @throws TransformError when no value can be stored under the key at present */
  checkWrite(key: string): void;
  /** The value as the disk gets it; the same array where it stays as it is. */
  toStorage(key: string, value: Uint8Array): Uint8Array;
  /** Whether it would be stored otherwise now is `stale`. A value that was not encrypted reads as itself, too. @throws TransformError for what cannot be read */
  fromStorage(key: string, stored: Uint8Array): { readonly value: Uint8Array; readonly stale: boolean };
  /** Fetches what `fromStorage` lacks for a value, where that is elsewhere. What cannot be fetched, `fromStorage` reports. */
  prepare?(key: string, stored: Uint8Array): Promise<void>;
}

/** A value cannot be turned into its stored form, or back. */
export class TransformError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TransformError";
  }
}

const encrypted = new TextEncoder().encode("k8s:enc:");

/** Whether stored bytes are encrypted in one of Kubernetes' ways. */
export const isEncrypted = (stored: Uint8Array): boolean => encrypted.every((byte, at) => stored[at] === byte);

/** Where nothing is encrypted: values are stored as they are, and encrypted ones of another time cannot be read. */
export const identityTransformer: ValueTransformer = {
  generation: 0,
  checkWrite() {},
  toStorage: (_key, value) => value,
  fromStorage(_key, stored) {
    if (isEncrypted(stored)) throw new TransformError("identity transformer tried to read encrypted data");
    return { value: stored, stale: false };
  },
};
