/** What ConfigMaps and Secrets have in common: maps of file-like keys, limited in size, that can be sealed. */
import { deepEqual, field, validateConfigMapKey } from "@coxswain/machinery";
import { addInvalid, type Errors } from "./checks.ts";
import { utf8Length } from "./utf8-length.ts";

/** Bytes of all values of an object together. */
export const maxDataBytes = 1024 * 1024;

type Data = Readonly<Record<string, string>>;

/** Surely a good key; the others take the path that knows the messages. */
const plainKey = /^(?!\.\.)[-_.a-zA-Z0-9]{1,253}$/;

export function validateKeys(out: Errors, path: string, data: Data | undefined): void {
  if (data === undefined) return;
  for (const key of Object.keys(data)) {
    if (key === "." || !plainKey.test(key)) addInvalid(out, `${path}[${key}]`, key, validateConfigMapKey(key));
  }
}

/** Whether texts and base64 together stand for more bytes than allowed. A code unit takes three bytes at most, so most maps need no counting. */
export function isTooLarge(texts: Data | undefined, base64: Data | undefined): boolean {
  const binary = base64Bytes(base64);
  let units = 0;
  for (const key in texts) units += texts[key]?.length ?? 0;
  if (units * 3 + binary <= maxDataBytes) return false;
  let bytes = binary;
  for (const key in texts) bytes += utf8Length(texts[key] ?? "");
  return bytes > maxDataBytes;
}

/** Bytes that base64 texts stand for. */
function base64Bytes(data: Data | undefined): number {
  let bytes = 0;
  for (const key in data) {
    const text = data[key] ?? "";
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    bytes += Math.floor((text.length * 3) / 4) - padding;
  }
  return bytes;
}

export const keyCount = (data: Data | undefined): number => (data === undefined ? 0 : Object.keys(data).length);

interface Sealable {
  readonly immutable?: boolean;
  readonly data?: Data;
  readonly binaryData?: Data;
}

/** @see https://kubernetes.io/docs/concepts/configuration/configmap/#configmap-immutable */
export function validateSeal(out: Errors, next: Sealable, prev: Sealable): void {
  if (prev.immutable !== true) return;
  const why = "field is immutable when `immutable` is set";
  if (next.immutable !== true) out.push(field.forbidden("immutable", why));
  if (!deepEqual(next.data ?? {}, prev.data ?? {})) out.push(field.forbidden("data", why));
  if (!deepEqual(next.binaryData ?? {}, prev.binaryData ?? {})) out.push(field.forbidden("binaryData", why));
}
