/** A token whose signature was good: what still has to hold each time somebody comes with it. */
import type { Clock } from "@coxswain/machinery";
import { authenticated } from "../authentication/authenticator.ts";
import type { ServerContext } from "../context.ts";
import type { Authentication, UserInfo } from "../contracts/authenticator.ts";
import { keyOf } from "../storage/served-resource.ts";
import { accountName, type NamedObject, type TokenClaims } from "./claims.ts";

export type ObjectSource = Pick<ServerContext, "store" | "cache" | "served">;

/** An object that a token ends with. */
interface Bond {
  readonly key: string;
  readonly uid: string;
  readonly gone: string;
  readonly replaced: (actual: string) => string;
  /** The revision that was looked at last, so that an unchanged object is not looked at again. */
  seen: number;
  /** Milliseconds since the epoch; what is being deleted stands for a little longer. */
  dead: number;
}

/** How far the clocks of those who issue and those who check may be apart; also how long a deletion may take to count. */
const leewayMs = 60_000;
const invalidated = "service account token has been invalidated";

export class ProvenToken {
  readonly audiences: readonly string[];
  readonly #claims: TokenClaims;
  readonly #bonds: readonly Bond[];
  readonly #user: Authentication;

  constructor(claims: TokenClaims, { served }: ObjectSource) {
    this.#claims = claims;
    this.audiences = claims.aud;
    this.#bonds = bondsOf(claims, served);
    this.#user = authenticated(userOf(claims));
  }

  /** Whether it will never be good again. */
  isOver(now: number): boolean {
    return this.#claims.exp * 1000 + leewayMs < now;
  }

  /** The user, or why not. */
  async check(source: ObjectSource, clock: Clock): Promise<Authentication> {
    const now = clock.now();
    const { nbf } = this.#claims;
    if (this.isOver(now)) return rejected("service account token has expired");
    if (nbf * 1000 - leewayMs > now) return rejected("service account token is not valid yet");
    for (const bond of this.#bonds) {
      const problem = await problemOf(bond, source, now);
      if (problem !== undefined) return rejected(problem);
    }
    return this.#user;
  }
}

export const rejected = (reason: string): Authentication => ({ kind: "rejected", reason });

async function problemOf(bond: Bond, { store, cache }: ObjectSource, now: number): Promise<string | undefined> {
  const { entry } = await store.get(bond.key);
  if (entry === undefined) return bond.gone;
  if (entry.modified !== bond.seen) {
    const { uid = "", deletionTimestamp } = cache.objectOf(entry).metadata ?? {};
    if (uid !== bond.uid) return bond.replaced(uid);
    bond.dead = deletionTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(deletionTimestamp) + leewayMs;
    bond.seen = entry.modified;
  }
  return bond.dead < now ? invalidated : undefined;
}

function bondsOf({ "kubernetes.io": to }: TokenClaims, served: ObjectSource["served"]): Bond[] {
  const { namespace, serviceaccount: account, pod, secret, node } = to;
  const bond = (resource: string, { name, uid = "" }: NamedObject, gone: string, mismatch: Bond["replaced"]): Bond[] => {
    const found = served.find("", "v1", resource);
    return found === undefined ? [] : [{ key: keyOf(found, namespace, name), uid, gone, replaced: mismatch, seen: -1, dead: 0 }];
  };
  return [
    ...bond(
      "serviceaccounts",
      account,
      `serviceaccounts "${account.name}" not found`,
      (uid) => `service account UID (${uid}) does not match claim (${account.uid})`,
    ),
    ...(secret === undefined
      ? []
      : bond(
          "secrets",
          secret,
          invalidated,
          (uid) => `secret UID (${uid}) does not match service account secret ref claim (${secret.uid})`,
        )),
    ...(pod === undefined
      ? []
      : bond("pods", pod, invalidated, (uid) => `pod UID (${uid}) does not match service account pod ref claim (${pod.uid})`)),
    // The node of a Pod is only told: it is the Pod that the token ends with.
    ...(node === undefined || pod !== undefined
      ? []
      : bond("nodes", node, invalidated, (uid) => `node UID (${uid}) does not match service account node ref claim (${node.uid})`)),
  ];
}

const extraPrefix = "authentication.kubernetes.io/";

function userOf({ jti, "kubernetes.io": { namespace, serviceaccount, pod, node } }: TokenClaims): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  const tell = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") extra[extraPrefix + key] = [value];
  };
  tell("credential-id", jti === "" ? "" : `JTI=${jti}`);
  tell("node-name", node?.name);
  tell("node-uid", node?.uid);
  tell("pod-name", pod?.name);
  tell("pod-uid", pod?.uid);
  return {
    name: accountName(namespace, serviceaccount.name),
    uid: serviceaccount.uid ?? "",
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra,
  };
}
