/** The answers of a server's discovery. */
import type { GroupVersionKind } from "@coxswain/machinery";
import type { ResourceRef } from "./resource-ref.ts";

/** A resource that the server serves in one version. */
export interface DiscoveredResource extends ResourceRef {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly DiscoveredSubresource[];
  /** Whether this is the version of its group that the server recommends. */
  readonly preferred: boolean;
}

/** A subresource that the server serves. */
export interface DiscoveredSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Of what it takes and answers. */
  readonly responseKind: GroupVersionKind;
}

/** All that a server said of its resources, and which groups it could not say it of. */
export interface Discovered {
  /** In the server's order: more important groups first, in each the recommended version first. */
  readonly resources: readonly DiscoveredResource[];
  /** Groups and versions whose server could not be reached: what is in them is unknown, not gone. */
  readonly failed: readonly FailedDiscovery[];
}

/** A group and version whose resources are unknown, and why. */
export interface FailedDiscovery {
  readonly group: string;
  readonly version: string;
  readonly error: unknown;
}

/** The server has no resource of this kind. Where it could not be reached, `cause` says why. */
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

/** Whether the error says that the server has no resource of a kind. */
export const isNoMatch = (error: unknown): error is NoMatchError => error instanceof NoMatchError;
