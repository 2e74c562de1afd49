/**
 * Which credentials of image pull secrets suit an image.
 * @see https://kubernetes.io/docs/concepts/containers/images/#config-json
 */

import type { coreV1 } from "@coxswain/api";
import { trimRight } from "@coxswain/machinery";
import type { RegistryAuth } from "../runtime/pod-runtime.ts";

/** A login with the secret that it is from, and its hash. */
export interface Credential {
  readonly auth: RegistryAuth;
  readonly secret: { readonly uid: string; readonly namespace: string; readonly name: string };
}

interface Entry {
  /** Host and path, without a scheme. */
  readonly place: string;
  readonly credential: Credential;
}

const defaultRegistry = "index.docker.io";

/** The most specific places first. @throws Error for a secret whose content is not JSON */
export function credentialsFor(repository: string, secrets: readonly coreV1.Secret[]): readonly Credential[] {
  const entries = secrets.flatMap(entriesOf).sort((a, b) => (a.place < b.place ? 1 : a.place > b.place ? -1 : 0));
  const found = entries.filter(({ place }) => matches(place, repository));
  // What has no host of its own is asked for with what was given for the default one.
  const suitable =
    found.length > 0 || !repository.startsWith("docker.io/") ? found : entries.filter(({ place }) => place === defaultRegistry);
  return suitable.map(({ credential }) => credential);
}

function entriesOf(secret: coreV1.Secret): Entry[] {
  const { type, data = {}, metadata } = secret;
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  const config =
    type === "kubernetes.io/dockerconfigjson" ? text(".dockerconfigjson") : type === "kubernetes.io/dockercfg" ? text(".dockercfg") : "";
  if (config === "") return [];
  const parsed: unknown = JSON.parse(config);
  const auths = type === "kubernetes.io/dockercfg" ? parsed : member(parsed, "auths");
  if (typeof auths !== "object" || auths === null) return [];
  const source = { uid: metadata?.uid ?? "", namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
  return Object.entries(auths).flatMap(([location, given]) => {
    const place = placeOf(location);
    return place === undefined ? [] : [{ place, credential: { auth: authOf(given), secret: source } }];
  });
}

/** `https://index.docker.io/v1/` stands for the host alone. */
function placeOf(location: string): string | undefined {
  const match = /^(?:https?:\/\/)?([^/\s]+)(\/[^?#\s]*)?/.exec(location);
  if (match === null) return undefined;
  const [, host = "", path = ""] = match;
  const effective = /^\/v[12]\//.test(path) ? path.slice(3) : path;
  return effective === "/" ? host : host + effective;
}

function authOf(given: unknown): RegistryAuth {
  const auth = stringMember(given, "auth");
  const [username, ...password] = auth === "" ? [] : Buffer.from(auth, "base64").toString().split(":");
  return {
    username: username ?? stringMember(given, "username"),
    password: username === undefined ? stringMember(given, "password") : trimRight(password.join(":"), "\0"),
  };
}

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;

function stringMember(value: unknown, key: string): string {
  const found = member(value, key);
  return typeof found === "string" ? found : "";
}

/** Hosts may have wildcards, in each of their parts; paths are prefixes. */
export function matches(place: string, repository: string): boolean {
  const [host, path] = split(place);
  const [wantedHost, wantedPath] = split(repository);
  const [name, port] = portOf(host);
  const [wantedName, wantedPort] = portOf(wantedHost);
  if (port !== wantedPort || !wantedPath.startsWith(path)) return false;
  const parts = name.split(".");
  const wantedParts = wantedName.split(".");
  return parts.length === wantedParts.length && parts.every((part, index) => isLike(part, wantedParts[index] ?? ""));
}

function split(place: string): readonly [host: string, path: string] {
  const slash = place.indexOf("/");
  return slash < 0 ? [place, ""] : [place.slice(0, slash), place.slice(slash)];
}

function portOf(host: string): readonly [name: string, port: string] {
  const [, name = host, port = ""] = /^(.*):(\d+)$/.exec(host) ?? [];
  return [name, port];
}

/** `*` is any text and `?` any sign. */
function isLike(pattern: string, text: string): boolean {
  let star = -1;
  let resumed = 0;
  let p = 0;
  for (let t = 0; t < text.length; ) {
    if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t]) && pattern[p] !== "*") {
      p++;
      t++;
    } else if (pattern[p] === "*") {
      star = p++;
      resumed = t;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resumed;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
