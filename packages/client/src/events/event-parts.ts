/** What both sorts of recorders make Events of. */
import {
  apiVersionOf,
  type Clock,
  type GroupVersionKind,
  type KubeObject,
  type RandomSource,
  validateDns1123Subdomain,
} from "@coxswain/machinery";
import type { coreV1 } from "@coxswain/types";

export function referenceTo(about: KubeObject, kind: GroupVersionKind | undefined, fieldPath?: string): coreV1.ObjectReference {
  const apiVersion = kind === undefined ? about.apiVersion : apiVersionOf(kind);
  const { namespace, name, uid, resourceVersion } = about.metadata ?? {};
  const fields = { kind: kind?.kind ?? about.kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));
}

/**
 * As client-go's: the object's name and a time in nanoseconds, but never the same twice. The clock has milliseconds; the rest is chance, so that others who
 * say something of the same object in the same moment say it under another name.
 */
export function eventNames({ clock, random }: { readonly clock: Clock; readonly random: RandomSource }): (objectName: string) => string {
  let lastNanos = 0n;
  return (objectName) => {
    const nanos = BigInt(Math.floor(clock.now())) * nanosInMilli + BigInt(Math.floor(random.next() * Number(nanosInMilli)));
    lastNanos = nanos > lastNanos ? nanos : lastNanos + 1n;
    const name = `${objectName}.${lastNanos.toString(16)}`;
    return validateDns1123Subdomain(name).length === 0 ? name : random.uuid();
  };
}

const nanosInMilli = 1_000_000n;
