/** Issuers of a configuration, with one that runs on this machine. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import type { Authentication } from "../../contracts/authenticator.ts";
import type { ContentProvider } from "../../contracts/content-provider.ts";
import { AccessSeries } from "../../metrics/access.ts";
import type { JwtAuthenticatorConfiguration } from "../configuration/document.ts";
import { checkAuthenticationConfiguration, type LoadedAuthenticationConfiguration } from "../configuration/load.ts";
import { ConfiguredIssuers } from "./configured-issuers.ts";
import { newKey, startIssuer, type TestIssuer } from "./issuer-under-test.ts";

export type More = Partial<Omit<JwtAuthenticatorConfiguration, "issuer">> & {
  readonly issuer?: Partial<JwtAuthenticatorConfiguration["issuer"]>;
};

export const plain: JwtAuthenticatorConfiguration["claimMappings"] = {
  username: { claim: "sub", prefix: "oidc:" },
  groups: { claim: "groups", prefix: "" },
  uid: {},
};

export const loadFor = (...jwt: readonly JwtAuthenticatorConfiguration[]): Promise<LoadedAuthenticationConfiguration> =>
  checkAuthenticationConfiguration({ jwt }, { disallowedIssuers: [] });

export const issuerOf = ({ url, certificateAuthority }: TestIssuer, { issuer, ...more }: More = {}): JwtAuthenticatorConfiguration => ({
  issuer: { url, certificateAuthority, audiences: ["here"], ...issuer },
  claimMappings: plain,
  ...more,
});

export interface Under {
  readonly issuer: TestIssuer;
  readonly clock: ManualClock;
  readonly log: string[];
  readonly metrics: AccessSeries;
  /** What becomes of a token. */
  check(token: string): Promise<Authentication>;
  /** Without waiting for what is not there yet. */
  checkNow(token: string): Authentication | Promise<Authentication>;
  replace(next: LoadedAuthenticationConfiguration): void;
}

export async function start(t: TestContext, more: More = {}, prepare: (issuer: TestIssuer) => void = () => undefined): Promise<Under> {
  const issuer = await startIssuer();
  t.after(() => issuer[Symbol.asyncDispose]());
  issuer.keys = [await newKey("one")];
  prepare(issuer);
  const clock = new ManualClock();
  const log: string[] = [];
  const note = (fields: object, message: string): void => void log.push(`${message} ${JSON.stringify(fields)}`);
  let listener: (next: LoadedAuthenticationConfiguration) => void = () => undefined;
  const configuration: ContentProvider<LoadedAuthenticationConfiguration> = {
    current: await loadFor(issuerOf(issuer, more)),
    subscribe: (fn) => {
      listener = fn;
      return { [Symbol.dispose]: () => undefined };
    },
  };
  const notes = { debug: note, info: note, warn: note, error: note };
  const metrics = new AccessSeries();
  const issuers = new ConfiguredIssuers({ configuration, clock, log: notes, metrics });
  t.after(() => issuers[Symbol.dispose]());
  const checkNow = (token: string) => issuers.authenticator({ headers: { authorization: `Bearer ${token}` } });
  const isInitialized = async (token: string): Promise<boolean> => {
    const answer = await checkNow(token);
    return answer.kind !== "rejected" || answer.reason !== "oidc: authenticator not initialized";
  };
  return {
    issuer,
    clock,
    log,
    metrics,
    async check(token) {
      await waitUntil("the issuer has answered", () => isInitialized(token));
      return checkNow(token);
    },
    checkNow,
    replace: (next) => listener(next),
  };
}

export const claims = ({ issuer, clock }: Under, more: object = {}): Record<string, unknown> => ({
  iss: issuer.url,
  aud: "here",
  sub: "jane",
  exp: clock.now() / 1000 + 600,
  ...more,
});
export const user = (more: object = {}): Authentication => ({
  kind: "authenticated",
  user: { name: "oidc:jane", groups: ["system:authenticated"], uid: "", extra: {}, ...more },
});
export const rejected = (reason: string): Authentication => ({ kind: "rejected", reason });
export const first = (under: Under) => under.issuer.keys[0] ?? assert.fail();
