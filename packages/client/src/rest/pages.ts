/** Lists in pages of one snapshot. */
import { apiVersionOf, isExpired, type KubeObject, type ListMeta } from "@coxswain/machinery";
import type { ListOptions, ListResult } from "../contracts/client.ts";
import { collectionPath, type ResourceScope, withQuery } from "./path.ts";
import type { JsonRequest, Requests } from "./requests.ts";

export const defaultPageSize = 500;

/** How a page is asked for: with or without retries. */
export type Ask = Requests["json"];

interface Page {
  readonly metadata?: ListMeta;
  readonly items?: readonly KubeObject[] | null;
}

/** @throws expired() when the snapshot is gone before its last page */
export async function* listPages<T extends KubeObject>(ask: Ask, scope: ResourceScope, opts: ListOptions): AsyncGenerator<ListResult<T>> {
  for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
    const page = await ask<Page>(pageRequest(scope, opts, opts.pageSize ?? defaultPageSize, token));
    token = page.metadata?.continue || undefined;
    yield resultOf<T>(page, scope);
  }
}

/**
 * Everything at one version. When that version is gone before the last page, the whole list is asked for at once: the
 * token that the server offers instead goes on at another version.
 */
export async function listAll<T extends KubeObject>(ask: Ask, scope: ResourceScope, opts: ListOptions): Promise<ListResult<T>> {
  const items: T[] = [];
  let begun = false;
  try {
    let resourceVersion = "";
    for await (const page of listPages<T>(ask, scope, opts)) {
      begun = true;
      ({ resourceVersion } = page);
      for (const item of page.items) items.push(item);
    }
    return { resourceVersion, items };
  } catch (error) {
    if (!begun || !isExpired(error)) throw error;
    return resultOf<T>(await ask<Page>(pageRequest(scope, opts, undefined, undefined)), scope);
  }
}

function pageRequest(scope: ResourceScope, opts: ListOptions, limit: number | undefined, token: string | undefined): JsonRequest {
  const version = token === undefined ? { resourceVersion: opts.resourceVersion, resourceVersionMatch: opts.resourceVersionMatch } : {};
  const { labelSelector, fieldSelector } = opts;
  const query = { labelSelector, fieldSelector, limit, continue: token, ...version };
  const { group, resource } = scope.ref;
  const accept = opts.metadataOnly === true ? { accept: metadataOf("PartialObjectMetadataList") } : {};
  return { method: "GET", path: withQuery(collectionPath(scope), query), group, resource, signal: opts.signal, ...accept };
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches */
export const metadataOf = (kind: "PartialObjectMetadata" | "PartialObjectMetadataList"): string =>
  `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;

/** Servers leave kind and apiVersion out of the items of typed lists; here each object has them. */
function resultOf<T extends KubeObject>(page: Page, { ref }: ResourceScope): ListResult<T> {
  const { kind } = ref;
  const apiVersion = apiVersionOf(ref);
  const items = (page.items ?? []).map((item) => ({ kind, apiVersion, ...item }));
  return { resourceVersion: page.metadata?.resourceVersion ?? "", items: items as KubeObject[] as T[] };
}
