/** What becomes of stored values when a state moves: other times, another form, another encryption. */
import { eventTtlSeconds, isEventKey, kubeApiserverValues } from "@coxswain/apiserver";
import { isEncrypted, TransformError, type ValueTransformer } from "@coxswain/store";
import type { StateEntry } from "@coxswain/store/transfer";
import { StartError } from "../process/start-error.ts";

export interface ConversionOptions {
  /** What keys begin with there; encrypted values may be bound to it. */
  readonly prefixes: { readonly from: string; readonly to: string };
  /** Where a configuration says what is encrypted: for each of the two. */
  readonly encryption: { readonly from: ValueTransformer; readonly to: ValueTransformer } | undefined;
  /** Whether values get the form in which a data file has them: kube-apiserver's is another. */
  readonly isForDirectory: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What was noticed on the way. */
export interface ConversionReport {
  /** Values that are encrypted, and were copied as they are. */
  encrypted: number;
  /** Values of no form that is known, which were copied as they are, too; and the first key that has one. */
  unknown: number;
  firstUnknown: string | undefined;
}

export interface Conversion {
  readonly report: ConversionReport;
  convert(entry: StateEntry): Promise<StateEntry | undefined>;
}

export function conversionOf({ prefixes, encryption, isForDirectory, now }: ConversionOptions): Conversion {
  const report: ConversionReport = { encrypted: 0, unknown: 0, firstUnknown: undefined };
  const json = kubeApiserverValues();
  return {
    report,
    async convert(entry) {
      const value = await convertValue(entry);
      return value === undefined ? undefined : { ...entry, ...timesOf(entry, now), value };
    },
  };

  async function convertValue({ key, value }: StateEntry): Promise<Uint8Array | undefined> {
    if (encryption !== undefined) return encryption.to.toStorage(key, formed(key, await decrypted(encryption.from, key, value)));
    if (!isEncrypted(value)) return formed(key, value);
    if (prefixes.from !== prefixes.to)
      throw new StartError(
        `${key} is encrypted, and bound to ${prefixes.from}: only with --encryption-provider-config can it go to ${prefixes.to}`,
      );
    report.encrypted++;
    return value;
  }

  function formed(key: string, value: Uint8Array): Uint8Array {
    if (!isForDirectory) return value;
    try {
      return json.fromStorage(key, value).value;
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      report.unknown++;
      report.firstUnknown ??= key;
      return value;
    }
  }
}

async function decrypted(from: ValueTransformer, key: string, stored: Uint8Array): Promise<Uint8Array> {
  try {
    await from.prepare?.(key, stored);
    return from.fromStorage(key, stored).value;
  } catch (error) {
    if (!(error instanceof TransformError)) throw error;
    throw new StartError(`unable to transform key ${JSON.stringify(key)}: ${error.message}`, { cause: error });
  }
}

/** Of Events: what a data file knows is when they were written, what etcd knows is when they end. */
function timesOf({ key, at, ttlSeconds }: StateEntry, now: number): Pick<StateEntry, "at" | "ttlSeconds"> {
  if (!isEventKey(key)) return { at, ttlSeconds };
  if (ttlSeconds !== undefined) return { at: now - (eventTtlSeconds - Math.min(ttlSeconds, eventTtlSeconds)) * 1000, ttlSeconds };
  return { at, ttlSeconds: at === undefined ? eventTtlSeconds : Math.max(1, Math.round(eventTtlSeconds - (now - at) / 1000)) };
}
