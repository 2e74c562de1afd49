/** What a server tells of itself. */
import type { GroupVersionKind } from "@coxswain/machinery";
import type { ResourceRef } from "./resource-ref.ts";

export interface DiscoveredResource extends ResourceRef {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly DiscoveredSubresource[];
  /** Whether this is the version of its group that the server recommends. */
  readonly preferred: boolean;
}

export interface DiscoveredSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Of what it takes and answers. */
  readonly responseKind: GroupVersionKind;
}

export interface Discovered {
  /** In the server's order: more important groups first, in each the recommended version first. */
  readonly resources: readonly DiscoveredResource[];
  /** Groups and versions whose server could not tell: what is in them is unknown, not gone. */
  readonly failed: readonly FailedDiscovery[];
}

export interface FailedDiscovery {
  readonly group: string;
  readonly version: string;
  readonly error: unknown;
}

/** The server has no resource of this kind. Where it could not tell, `cause` says why. */
export class NoMatchError extends Error {
  readonly apiVersion: string;
  readonly kind: string;
  constructor({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, cause?: unknown) {
    super(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`, { cause });
    this.name = "NoMatchError";
    this.apiVersion = apiVersion;
    this.kind = kind;
  }
}

export const isNoMatch = (error: unknown): error is NoMatchError => error instanceof NoMatchError;
