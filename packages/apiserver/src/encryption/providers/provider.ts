import { TransformError } from "@coxswain/store";

/** What an opened value was. */
export interface Opened {
  readonly value: Uint8Array;
  /** Whether it would be written otherwise now. */
  readonly stale: boolean;
}

/** One way in which values are encrypted. `context`, the key in the store, is authenticated with a value where the way allows it. */
export interface Provider {
  /** @throws TransformError when nothing can be sealed at present */
  checkWrite?(): void;
  seal(value: Uint8Array, context: Uint8Array): Uint8Array;
  /** @throws TransformError */
  open(sealed: Uint8Array, context: Uint8Array): Opened;
  /** Fetches the key that `open` needs. */
  prepare?(sealed: Uint8Array): Promise<void>;
}

export const tooShort = (): TransformError => new TransformError("the stored data was shorter than the required size");
