import type { ObjectIdentity } from "../contracts/history-reader.ts";

interface Stored {
  readonly metadata?: {
    readonly uid?: unknown;
    readonly ownerReferences?: readonly { readonly uid?: unknown; readonly controller?: unknown }[];
  };
}

/** Of an object as it is stored; empty for what is none. */
export function identityOf(value: Uint8Array): ObjectIdentity {
  const { metadata } = parsed(value);
  const owners = Array.isArray(metadata?.ownerReferences) ? metadata.ownerReferences : [];
  const owner = (owners.find((one) => one?.controller === true) ?? owners[0])?.uid;
  return { ...(typeof metadata?.uid === "string" ? { uid: metadata.uid } : {}), ...(typeof owner === "string" ? { owner } : {}) };
}

function parsed(value: Uint8Array): Stored {
  try {
    return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) ?? {};
  } catch {
    // Not every value is JSON.
    return {};
  }
}
