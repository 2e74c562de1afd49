/** What is counted about issuers of tokens, by OpenID Connect, under Kubernetes' names and with its words. Only hashes tell who they are. */
import { hash } from "node:crypto";
import { Histogram } from "@coxswain/machinery";
import type { IssuerMetrics, TokenResult } from "../contracts/access-metrics.ts";
import type { Definers } from "./definers.ts";

/** Seconds. */
const latencyBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Issuer {
  readonly id: string;
  readonly latencies: Readonly<Record<TokenResult, Histogram>>;
  /** When keys were asked for last; seconds since the epoch. */
  readonly fetched: Partial<Record<TokenResult, number>>;
  /** Of the keys that were fetched last. */
  keys: string | undefined;
}

export class IssuerSeries implements IssuerMetrics {
  readonly #issuers = new Map<string, Issuer>();

  get issuers(): Iterable<Issuer> {
    return this.#issuers.values();
  }

  get size(): number {
    return this.#issuers.size;
  }

  recordToken(url: string, result: TokenResult, seconds: number): void {
    this.#of(url).latencies[result].observe(seconds);
  }

  recordKeys(url: string, keys: Uint8Array | undefined, at: number): void {
    const issuer = this.#of(url);
    issuer.fetched[keys === undefined ? "failure" : "success"] = at;
    if (keys !== undefined) issuer.keys = hashOf(keys);
  }

  forgetKeys(url: string): void {
    const issuer = this.#of(url);
    delete issuer.fetched.failure;
    delete issuer.fetched.success;
    issuer.keys = undefined;
  }

  #of(url: string): Issuer {
    const known = this.#issuers.get(url);
    if (known !== undefined) return known;
    const latencies = { failure: new Histogram(latencyBounds), success: new Histogram(latencyBounds) };
    const made: Issuer = { id: hashOf(url), latencies, fetched: {}, keys: undefined };
    this.#issuers.set(url, made);
    return made;
  }
}

export const hashOf = (data: string | Uint8Array): string => (data.length === 0 ? "" : `sha256:${hash("sha256", data, "hex")}`);

const results: readonly TokenResult[] = ["failure", "success"];

/** @param serverId by which the servers of a cluster are told apart */
export function exposeIssuers({ gauge, histogram }: Definers, series: IssuerSeries, serverId: string): void {
  if (series.size === 0) return;
  const issuers = [...series.issuers];
  const apiserver = hashOf(serverId);
  const ofEach = <T>(read: (issuer: Issuer, result: TokenResult) => T | undefined) =>
    issuers.flatMap((issuer) => results.map((result) => ({ issuer, result, value: read(issuer, result) })));
  histogram(
    "apiserver_authentication_jwt_authenticator_latency_seconds",
    "[ALPHA] Latency of jwt authentication operations in seconds. This is the time spent authenticating a token for cache miss only (i.e. when the token is not found in the cache).",
    ofEach(({ latencies }, result) => latencies[result]).flatMap(({ issuer, result, value }) =>
      value === undefined || value.count === 0 ? [] : [[{ jwt_issuer_hash: issuer.id, result }, value] as const],
    ),
  );
  gauge(
    "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds",
    "[ALPHA] Timestamp of the last successful or failed JWKS fetch split by result, api server identity and jwt issuer for the JWT authenticator.",
    ofEach(({ fetched }, result) => fetched[result]).flatMap(({ issuer, result, value }) =>
      value === undefined ? [] : [[{ apiserver_id_hash: apiserver, jwt_issuer_hash: issuer.id, result }, value] as const],
    ),
  );
  gauge(
    "apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info",
    "[ALPHA] Information about the last JWKS fetched by the JWT authenticator with hash as label, split by api server identity and jwt issuer.",
    issuers.flatMap(({ id, keys }) =>
      keys === undefined ? [] : [[{ apiserver_id_hash: apiserver, hash: keys, jwt_issuer_hash: id }, 1] as const],
    ),
  );
}
