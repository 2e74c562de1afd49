/** What resolvers of all kinds are asked, and what each of them must find. */
import assert from "node:assert/strict";
import type { Ran } from "../../conformance/client-program.ts";
import { manyEndpoints } from "./resolver-world.ts";

/** Names as programs in Pods write them; `ptr:` asks for the name of an address. */
export const lookups: Readonly<Record<string, string>> = {
  web: "10.96.1.1",
  "web.default": "10.96.1.1",
  "WEB.Default.Svc": "10.96.1.1",
  "web.default.svc.cluster.local": "10.96.1.1",
  "web.default.svc.cluster.local.": "10.96.1.1",
  both: "10.1.2.1 fd00:1::1",
  "both-0.both.default": "10.1.2.1 fd00:1::1",
  six: "fd00:1::6",
  peers: "10.1.0.1 10.1.0.2",
  "peers-1.peers": "10.1.0.2",
  "1-2-3-4.default.pod": "1.2.3.4",
  out: "192.0.2.1",
  "www.example.org": "192.0.2.1",
  missing: "nothing",
  "missing.example.org": "nothing",
  "ptr:10.96.1.1": "web.default.svc.cluster.local",
  "ptr:10.1.0.2": "peers-1.peers.default.svc.cluster.local",
  "ptr:fd00:1::1": "both-0.both.default.svc.cluster.local",
  "ptr:10.9.9.9": "nothing",
};

/** Services by their ports, for resolvers that can ask for them. */
export const serviceLookups: Readonly<Record<string, string>> = {
  "srv:_http._tcp.web.default.svc.cluster.local": "web.default.svc.cluster.local:80",
  "srv:_http._tcp.peers.default.svc.cluster.local":
    "peers-0.peers.default.svc.cluster.local:8080 peers-1.peers.default.svc.cluster.local:8080",
  "srv:_other._tcp.web.default.svc.cluster.local": "nothing",
  "txt:dns-version.cluster.local": "1.1.0",
  "cname:out.default.svc.cluster.local": "www.example.org",
};

/** A program prints a line for each argument: it, and behind a tab what it found, with a space between two. */
export function assertFound({ code, stdout, stderr }: Ran, expected: Readonly<Record<string, string>>): void {
  assert.equal(code, 0, stderr);
  const found = linesOf(stdout).map(([asked, text]) => [asked, text.split(" ").sort().join(" ")] as const);
  assert.deepEqual(Object.fromEntries(found), expected);
}

/** All of the endpoints of `many`, which no packet has room for; where `atLeast` is given, so many of them. */
export function assertMany({ code, stdout, stderr }: Ran, atLeast = manyEndpoints): void {
  assert.equal(code, 0, stderr);
  const addresses = new Set(linesOf(stdout).flatMap(([, text]) => text.split(" ")));
  assert.ok(addresses.size >= atLeast && addresses.size <= manyEndpoints, `${addresses.size} addresses`);
  for (const address of addresses) assert.match(address, /^10\.1\.[89]\.\d+$/);
}

const linesOf = (stdout: string): (readonly [string, string])[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [asked = "", text = ""] = line.split("\t");
      return [asked, text];
    });
