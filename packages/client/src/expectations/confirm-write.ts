/**
 * Asking the server what became of a write: what a consistent read answers is as new as whatever the write left. Only a
 * request that is still under way somewhere escapes it; a resourceVersion in an update, and a name in a create, make that
 * one harmless.
 */
import { isForbidden, isMethodNotSupported, type KubeObject } from "@coxswain/machinery";
import { isOlder } from "../cache/resource-version.ts";
import type { Client } from "../contracts/client.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import type { Informer, InformerSelection } from "../informer/informer.ts";
import { isObjectNotFound } from "../rest/object-not-found.ts";
import { type Expectation, expectObject, expectVersion } from "./expectation.ts";
import type { WriteTarget } from "./tracked-client.ts";

/** What the caches must show to be as new as the server's answer. @param reader may list what caches show, where the writer need not */
export function confirmWrite(
  write: WriteTarget,
  informers: readonly Informer[],
  signal: AbortSignal,
  reader?: Client,
): Promise<Expectation[]> {
  const { ref, namespace } = write.resource;
  if (reader !== undefined) return readAll({ ...write, resource: reader.resource(ref, namespace) }, informers, signal);
  return write.name === undefined ? readAll(write, informers, signal) : readOne({ ...write, name: write.name }, informers, signal);
}

/** Whether the server serves the resource in any version, as far as that is known. */
export async function isServed(client: Client, { group, resource }: ResourceRef, signal: AbortSignal): Promise<boolean> {
  const { resources, failed } = await client.discover({ signal });
  return resources.some((one) => one.group === group && one.resource === resource) || failed.some((one) => one.group === group);
}

async function readOne(
  written: WriteTarget & { readonly name: string },
  informers: readonly Informer[],
  signal: AbortSignal,
): Promise<Expectation[]> {
  const { resource, namespace = "", name } = written;
  const ref = { namespace, name };
  for (;;) {
    const before = informers.map((informer) => informer.lister.get(ref));
    try {
      const object = await resource.get(namespace === "" ? name : ref, { signal });
      return informers.flatMap((informer) => expectObject(informer, object) ?? []);
    } catch (error) {
      // Whoever follows a resource may list it.
      if (isForbidden(error) || isMethodNotSupported(error)) return await readAll(written, informers, signal);
      if (!isObjectNotFound(error, resource.ref, name)) throw error;
      // What has come while the server answered may be gone or may be new: only another read can show that.
      const unchanged = informers.every((informer, i) => isSameOrGone(before[i], informer.lister.get(ref)));
      if (unchanged) return informers.flatMap((informer, i) => expectGone(informer, before[i]));
    }
  }
}

/** Whether there is still the object that was there before, if any. */
export const isSameOrGone = (before: KubeObject | undefined, now: KubeObject | undefined): boolean =>
  now === undefined || now.metadata?.uid === before?.metadata?.uid;

/** What this copy must show to be as new as the server's answer, which is read as the copy is: no more than it selects. */
export const confirmCopy = (client: Client, informer: Informer, signal: AbortSignal): Promise<Expectation[]> => {
  const { ref, namespace, selection } = informer;
  return readAll({ resource: client.resource(ref, namespace), namespace, name: undefined }, [informer], signal, selection);
};

async function readAll(
  { resource, namespace, name }: WriteTarget,
  informers: readonly Informer[],
  signal: AbortSignal,
  selection: InformerSelection = {},
): Promise<Expectation[]> {
  const isWhole = namespace === undefined || namespace === "" || namespace === resource.namespace;
  const fields = [...(isWhole ? [] : [`metadata.namespace=${namespace}`]), ...(name === undefined ? [] : [`metadata.name=${name}`])];
  const { items, resourceVersion } = await resource.list({
    signal,
    ...selection,
    ...(fields.length === 0 ? {} : { fieldSelector: fields.join(",") }),
  });
  const uids = new Set(items.map(({ metadata }) => metadata?.uid));
  // A Namespace is held by its spec, which metadata alone does not show.
  const expect = selection.metadataOnly === true ? expectVersion : expectObject;
  return informers.flatMap((informer) => {
    const come = items.flatMap((item) => expect(informer, item) ?? []);
    const missing = informer.lister
      .list({ namespace })
      .filter(({ metadata }) => name === undefined || metadata?.name === name)
      .filter(({ metadata }) => !uids.has(metadata?.uid) && !isOlder(resourceVersion, metadata?.resourceVersion));
    return [...come, ...missing.flatMap((object) => expectGone(informer, object))];
  });
}

export function expectGone(informer: Informer, object: KubeObject | undefined): Expectation[] {
  const { namespace = "", name = "", uid } = object?.metadata ?? {};
  return uid === undefined ? [] : [{ kind: "gone", informer, object: { namespace, name }, uid }];
}
