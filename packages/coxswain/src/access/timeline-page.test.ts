/** By what a browser is known, and for which requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, systemRandom } from "@coxswain/machinery";
import { timelineAccess } from "./timeline-page.ts";

const clock = new ManualClock(0);
const access = timelineAccess({ key: "key", clock, random: systemRandom });

async function session(): Promise<string> {
  const link = new URL(access.linkFor({ name: "ann" }), "https://h:1");
  const request = { method: "GET", path: link.pathname, query: link.search.slice(1), headers: {}, remoteAddress: "", http1: false };
  const known = await access.authenticator(request);
  assert.ok(known.kind === "authenticated");
  const reply = await access.pages(request, known.user);
  return String(reply?.headers?.["set-cookie"]).split(";")[0] ?? "";
}

const races = "/coxswain/v1/races";
const own = { "sec-fetch-site": "same-origin", origin: "https://h:1", host: "h:1" };
const http2 = { "sec-fetch-site": "same-origin", origin: "https://h:1", ":authority": "h:1" };
const cases = [
  { name: "a GET below /coxswain", method: "GET", path: "/coxswain/v1/timeline", headers: {}, expect: "authenticated" },
  { name: "a GET of anything else", method: "GET", path: "/api/v1/secrets", headers: own, expect: "unclaimed" },
  { name: "a race that the page begins", method: "POST", path: races, headers: own, expect: "authenticated" },
  { name: "the same over HTTP/2", method: "POST", path: races, headers: http2, expect: "authenticated" },
  { name: "a step", method: "POST", path: `${races}/0-a/steps`, headers: own, expect: "authenticated" },
  { name: "the end of a race", method: "DELETE", path: `${races}/0-a`, headers: own, expect: "authenticated" },
  { name: "another method", method: "PUT", path: races, headers: own, expect: "unclaimed" },
  { name: "a POST elsewhere below /coxswain", method: "POST", path: "/coxswain/v1/timeline", headers: own, expect: "unclaimed" },
  { name: "a POST to a resource", method: "POST", path: "/api/v1/namespaces", headers: own, expect: "unclaimed" },
  { name: "a path that only begins so", method: "POST", path: `${races}x`, headers: own, expect: "unclaimed" },
  { name: "a path that leads away", method: "POST", path: `${races}/../../../api/v1/namespaces`, headers: own, expect: "unclaimed" },
  { name: "an encoded path", method: "POST", path: `${races}/%2e%2e/a`, headers: own, expect: "unclaimed" },
  { name: "another site's POST", method: "POST", path: races, headers: { ...own, "sec-fetch-site": "cross-site" }, expect: "unclaimed" },
  { name: "another port's POST", method: "POST", path: races, headers: { ...own, "sec-fetch-site": "same-site" }, expect: "unclaimed" },
  {
    name: "a POST of nobody knows what",
    method: "POST",
    path: races,
    headers: { origin: own.origin, host: own.host },
    expect: "unclaimed",
  },
  { name: "a POST with another origin", method: "POST", path: races, headers: { ...own, origin: "https://h:2" }, expect: "unclaimed" },
  { name: "a POST with the origin null", method: "POST", path: races, headers: { ...own, origin: "null" }, expect: "unclaimed" },
  { name: "a POST without an origin", method: "POST", path: races, headers: { ...own, origin: undefined }, expect: "unclaimed" },
];
for (const { name, method, path, headers, expect } of cases)
  test(`${name} with the page's cookie is ${expect}`, async () => {
    const cookie = await session();
    assert.equal((await access.authenticator({ method, path, headers: { ...headers, cookie } })).kind, expect);
  });

test("a link is no session: it begins no race, used or not", async () => {
  const link = new URL(access.linkFor({ name: "ann" }), "https://h:1");
  const code = link.searchParams.get("code") ?? "";
  const post = { method: "POST", path: races, query: `code=${code}`, headers: { ...own, cookie: `__Host-coxswain=${code}` } };
  assert.equal((await access.authenticator(post)).kind, "unclaimed");
});

test("a session ends after twelve hours", async () => {
  const cookie = await session();
  clock.advance(12 * 3_600_000);
  assert.equal((await access.authenticator({ method: "POST", path: races, headers: { ...own, cookie } })).kind, "unclaimed");
});
