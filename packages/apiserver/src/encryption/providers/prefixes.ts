import { TransformError } from "@coxswain/store";
import type { Provider } from "./provider.ts";

/** A provider, and what stands before the values that it has sealed. Empty: they are not marked. */
export interface PrefixProvider {
  readonly prefix: Uint8Array;
  readonly provider: Provider;
}

/** The first of them seals, each opens what has its prefix. @param noMatch the error for a value that has none of the prefixes */
export function prefixProviders(providers: readonly [PrefixProvider, ...PrefixProvider[]], noMatch: string): Provider {
  const [{ prefix, provider: first }] = providers;
  const fits = (sealed: Uint8Array) => providers.filter((one) => startsWith(sealed, one.prefix));
  return {
    checkWrite: () => first.checkWrite?.(),
    seal(value, context) {
      const sealed = first.seal(value, context);
      if (prefix.byteLength === 0) return sealed;
      const prefixed = new Uint8Array(prefix.byteLength + sealed.byteLength);
      prefixed.set(prefix);
      prefixed.set(sealed, prefix.byteLength);
      return prefixed;
    },
    open(sealed, context) {
      const errors = new Set<string>();
      for (const [i, one] of providers.entries()) {
        if (!startsWith(sealed, one.prefix)) continue;
        try {
          const { value, stale } = one.provider.open(sealed.subarray(one.prefix.byteLength), context);
          return { value, stale: stale || i > 0 };
        } catch (error) {
          if (!(error instanceof TransformError)) throw error;
          if (one.prefix.byteLength > 0) errors.add(error.message);
        }
      }
      if (errors.size === 0) throw new TransformError(noMatch);
      throw new TransformError(errors.size === 1 ? [...errors].join() : `[${[...errors].join(", ")}]`);
    },
    async prepare(sealed) {
      for (const one of fits(sealed)) await one.provider.prepare?.(sealed.subarray(one.prefix.byteLength));
    },
  };
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.byteLength < prefix.byteLength) return false;
  for (let i = 0; i < prefix.byteLength; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}
