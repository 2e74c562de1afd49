/** A token whose signature was good: what is checked again for each request with it. */
import type { Clock } from "@coxswain/machinery";
import { authenticated } from "../authentication/authenticator.ts";
import type { Authentication, UserInfo } from "../contracts/authenticator.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { keyOf } from "../storage/served-resource.ts";
import { accountName, type NamedObject, type TokenClaims } from "./claims.ts";

/** An object that a token ends with. */
interface BoundObject {
  readonly key: string;
  readonly uid: string;
  readonly gone: string;
  readonly replaced: (actual: string) => string;
  /** The revision that was read last, so that an unchanged object is not parsed again. */
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
  readonly #boundObjects: readonly BoundObject[];
  readonly #reader: ObjectReader;
  readonly #clock: Clock;
  readonly #user: Authentication;

  constructor(claims: TokenClaims, reader: ObjectReader, clock: Clock) {
    this.#claims = claims;
    this.audiences = claims.aud;
    this.#boundObjects = boundObjectsOf(claims, reader.served);
    this.#reader = reader;
    this.#clock = clock;
    this.#user = { ...authenticated(userOf(claims)), again: () => this.check() };
  }

  /** Whether it will never be good again. */
  isOver(now: number): boolean {
    return this.#claims.exp * 1000 + leewayMs < now;
  }

  /** Whether the time in which to renew it is over; undefined for one that need not be renewed. */
  renewal(now: number): "due" | "overdue" | undefined {
    const { warnafter = 0 } = this.#claims["kubernetes.io"];
    if (warnafter === 0) return undefined;
    return warnafter * 1000 < now ? "overdue" : "due";
  }

  /** The user, or why not. @throws StorageError */
  async check(): Promise<Authentication> {
    const now = this.#clock.now();
    const { nbf } = this.#claims;
    if (this.isOver(now)) return rejected("service account token has expired");
    if (nbf * 1000 - leewayMs > now) return rejected("service account token is not valid yet");
    const problem = await this.#problemAt(now);
    return problem === undefined ? this.#user : rejected(problem);
  }

  async #problemAt(now: number): Promise<string | undefined> {
    const { store } = this.#reader;
    const problem = await this.#firstProblem(now);
    if (problem === undefined || store.freshen === undefined) return problem;
    // Another server may have made the objects, and this one not have seen it yet.
    await store.freshen();
    return await this.#firstProblem(now);
  }

  async #firstProblem(now: number): Promise<string | undefined> {
    for (const bound of this.#boundObjects) {
      const problem = await problemOf(bound, this.#reader, now);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

export const rejected = (reason: string): Authentication => ({ kind: "rejected", reason });

async function problemOf(bound: BoundObject, { store, cache }: ObjectReader, now: number): Promise<string | undefined> {
  const { entry } = await store.get(bound.key);
  if (entry === undefined) return bound.gone;
  if (entry.modified !== bound.seen) {
    const { uid = "", deletionTimestamp } = cache.objectOf(entry).metadata ?? {};
    if (uid !== bound.uid) return bound.replaced(uid);
    bound.dead = deletionTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(deletionTimestamp) + leewayMs;
    bound.seen = entry.modified;
  }
  return bound.dead < now ? invalidated : undefined;
}

function boundObjectsOf({ "kubernetes.io": to }: TokenClaims, served: ObjectReader["served"]): BoundObject[] {
  const { namespace, serviceaccount: account, pod, secret, node } = to;
  const boundTo = (resource: string, { name, uid = "" }: NamedObject, gone: string, mismatch: BoundObject["replaced"]): BoundObject[] => {
    const found = served.find("", "v1", resource);
    return found === undefined ? [] : [{ key: keyOf(found, namespace, name), uid, gone, replaced: mismatch, seen: -1, dead: 0 }];
  };
  return [
    ...boundTo(
      "serviceaccounts",
      account,
      `serviceaccounts "${account.name}" not found`,
      (uid) => `service account UID (${uid}) does not match claim (${account.uid})`,
    ),
    ...(secret === undefined
      ? []
      : boundTo(
          "secrets",
          secret,
          invalidated,
          (uid) => `secret UID (${uid}) does not match service account secret ref claim (${secret.uid})`,
        )),
    ...(pod === undefined
      ? []
      : boundTo("pods", pod, invalidated, (uid) => `pod UID (${uid}) does not match service account pod ref claim (${pod.uid})`)),
    // The node of a Pod is only reported: it is the Pod that the token ends with.
    ...(node === undefined || pod !== undefined
      ? []
      : boundTo("nodes", node, invalidated, (uid) => `node UID (${uid}) does not match service account node ref claim (${node.uid})`)),
  ];
}

const extraPrefix = "authentication.kubernetes.io/";

function userOf({ jti, "kubernetes.io": { namespace, serviceaccount, pod, node } }: TokenClaims): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  const report = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") extra[extraPrefix + key] = [value];
  };
  report("credential-id", jti === "" ? "" : `JTI=${jti}`);
  report("node-name", node?.name);
  report("node-uid", node?.uid);
  report("pod-name", pod?.name);
  report("pod-uid", pod?.uid);
  return {
    name: accountName(namespace, serviceaccount.name),
    uid: serviceaccount.uid ?? "",
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra,
  };
}
