/** What a cache must show before whoever has written may trust it again. */
import type { KubeObject } from "@coxswain/machinery";
import { compareVersions, isComparable, isOlder } from "../cache/resource-version.ts";
import { isFinallyDeleted } from "../cache/store.ts";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import type { Informer } from "../informer/informer.ts";

export type Expectation =
  | {
      readonly kind: "version";
      readonly informer: Informer;
      readonly object: ObjectRef;
      readonly resourceVersion: string;
      /** Where the cache was when this was expected. */
      readonly since: string | undefined;
    }
  | { readonly kind: "gone"; readonly informer: Informer; readonly object: ObjectRef; readonly uid: string };

/** What remains to wait for once a write or a consistent read has answered with this object; the cache takes it ahead of the watch if it can. */
export function expectObject(informer: Informer, answer: KubeObject): Expectation | undefined {
  const { namespace = "", name = "", uid } = answer.metadata ?? {};
  if (uid !== undefined && isFinallyDeleted(answer)) return { kind: "gone", informer, object: { namespace, name }, uid };
  return expectVersion(informer, answer);
}

/** The same for an object of which it is not known whether anything holds it still. */
export function expectVersion(informer: Informer, answer: KubeObject): Expectation | undefined {
  const { namespace = "", name = "", resourceVersion } = answer.metadata ?? {};
  const object = { namespace, name };
  if (resourceVersion === undefined || informer.take(answer)) return undefined;
  return { kind: "version", informer, object, resourceVersion, since: informer.freshness.resourceVersion };
}

/** Whether the cache shows it. Once true it stays true. */
export function isMet(expectation: Expectation): boolean {
  const { informer, object } = expectation;
  if (!informer.hasSynced) return false;
  const here = informer.lister.get(object)?.metadata;
  if (expectation.kind === "gone") return here === undefined || here.uid !== expectation.uid;
  const position = informer.freshness.resourceVersion;
  // The server's history restarted: what was expected may never come.
  if (isOlder(position, expectation.since)) return true;
  return isAtLeast(position, expectation.resourceVersion) || isAtLeast(here?.resourceVersion, expectation.resourceVersion);
}

/** For people. */
export const describeExpectation = (expectation: Expectation): string => {
  const { informer, object } = expectation;
  const which = `${informer.ref.resource} ${object.namespace ?? ""}/${object.name}`;
  return expectation.kind === "gone" ? `${which}, deleted` : `${which}, written`;
};

/** Without comparable versions one may have passed unnoticed: then only a comparison with a fresh read can show that. */
export const isObservable = (expectation: Expectation): boolean =>
  expectation.kind === "gone" ||
  (isComparable(expectation.resourceVersion) &&
    (!expectation.informer.hasSynced || isComparable(expectation.informer.freshness.resourceVersion)));

const isAtLeast = (version: string | undefined, wanted: string): boolean => (compareVersions(version, wanted) ?? -1) >= 0;
