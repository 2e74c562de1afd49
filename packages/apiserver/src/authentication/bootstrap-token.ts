/**
 * Tokens with which new nodes join, each kept in a Secret: `ID.SECRET`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
import { hash, timingSafeEqual } from "node:crypto";
import { type Clock, DecodeError, type KubeObject, parseTime } from "@coxswain/machinery";
import type { Authentication, Authenticator } from "../contracts/authenticator.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { authenticated, unclaimed } from "./authenticator.ts";
import { bearerToken, invalidToken } from "./bearer-token.ts";

interface Secret extends KubeObject {
  readonly type?: string;
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const secrets = { group: "", version: "v1", resource: "secrets" };

/** A Secret is read with each request: its token ends with it, and with what it says. */
export function bootstrapTokenAuthenticator(reader: ObjectReader, clock: Clock): Authenticator {
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return unclaimed;
    const [, id, secret] = tokenPattern.exec(token) ?? [];
    return id === undefined || secret === undefined ? invalidToken : check(id, secret);
  };

  async function check(id: string, secret: string): Promise<Authentication> {
    const found = await readObject<Secret>(reader, secrets, "kube-system", `bootstrap-token-${id}`);
    const known = found === undefined ? undefined : userOf(found, { id, secret }, clock.now());
    return known === undefined ? invalidToken : { ...known, again: () => check(id, secret) };
  }
}

/** Undefined where the Secret does not vouch for the token. */
function userOf(
  { metadata, type, data = {} }: Secret,
  token: { id: string; secret: string },
  now: number,
): ReturnType<typeof authenticated> | undefined {
  const read = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  if (metadata?.deletionTimestamp !== undefined || type !== "bootstrap.kubernetes.io/token") return undefined;
  if (!isEqual(read("token-secret"), token.secret) || read("token-id") !== token.id) return undefined;
  if (isExpired(read("expiration"), now) || read("usage-bootstrap-authentication") !== "true") return undefined;
  const extraGroups = read("auth-extra-groups");
  const groups = extraGroups === "" ? [] : extraGroups.split(",");
  if (!groups.every((group) => groupPattern.test(group))) return undefined;
  const sorted = [...new Set(["system:bootstrappers", ...groups])].sort();
  return authenticated({ name: `system:bootstrap:${token.id}`, uid: "", groups: sorted, extra: {} });
}

/** In a time that says nothing of where they differ. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));

/** What is no time is over. */
function isExpired(text: string, now: number): boolean {
  if (text === "") return false;
  try {
    return parseTime(text).seconds * 1000 <= now;
  } catch (error) {
    if (error instanceof DecodeError) return true;
    throw error;
  }
}
