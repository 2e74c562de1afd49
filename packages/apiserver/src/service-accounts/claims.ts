/**
 * What a service account token says.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens
 */
import type { KubeObject } from "@coxswain/machinery";

export interface NamedObject {
  readonly name: string;
  /** Missing for the node of a Pod when the node is not there. */
  readonly uid?: string;
}

/** Times are seconds since the epoch. */
export interface TokenClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly node?: NamedObject;
    readonly pod?: NamedObject;
    readonly secret?: NamedObject;
    readonly serviceaccount: NamedObject;
    /** The time from which a token that was not renewed is reported. */
    readonly warnafter?: number;
  };
  readonly nbf: number;
  readonly sub: string;
}

/** What a token ends with, beside its account. */
export interface BoundObjectRefs {
  readonly pod?: Readonly<KubeObject>;
  readonly secret?: Readonly<KubeObject>;
  /** Of the Pod, or of the token itself; without a uid when the Pod's node is not there. */
  readonly node?: Readonly<KubeObject>;
}

export interface TokenRequest {
  readonly issuer: string;
  readonly id: string;
  readonly account: Readonly<KubeObject>;
  readonly refs: BoundObjectRefs;
  readonly audiences: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly lifetimeSeconds: number;
  readonly warnAfterSeconds: number | undefined;
}

export const accountName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

/** In alphabetical order, as the original writes them. */
export function claimsOf({ issuer, id, account, refs, audiences, now, lifetimeSeconds, warnAfterSeconds }: TokenRequest): TokenClaims {
  const { namespace = "", name = "" } = account.metadata ?? {};
  const seconds = Math.floor(now / 1000);
  return {
    aud: audiences,
    exp: seconds + lifetimeSeconds,
    iat: seconds,
    iss: issuer,
    jti: id,
    "kubernetes.io": {
      namespace,
      ...(refs.node === undefined ? {} : { node: named(refs.node) }),
      ...(refs.pod === undefined ? {} : { pod: named(refs.pod) }),
      ...(refs.secret === undefined ? {} : { secret: named(refs.secret) }),
      serviceaccount: named(account),
      ...(warnAfterSeconds === undefined ? {} : { warnafter: seconds + warnAfterSeconds }),
    },
    nbf: seconds,
    sub: accountName(namespace, name),
  };
}

function named({ metadata }: Readonly<KubeObject>): NamedObject {
  const { name = "", uid = "" } = metadata ?? {};
  return uid === "" ? { name } : { name, uid };
}

/** For what carries our signature: only the form can be another one, of another kind of token. */
export function isTokenClaims(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & TokenClaims {
  const bound = value["kubernetes.io"];
  return Array.isArray(value.aud) && typeof bound === "object" && bound !== null && "serviceaccount" in bound;
}
