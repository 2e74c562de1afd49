import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { reachOf } from "../http/reach.ts";
import { kubeletTarget } from "./kubelet-target.ts";
import { proxiedPath } from "./proxy-path.ts";
import { checkReach, splitName, urlOf } from "./target.ts";

const names = [
  { id: "web", name: "web", port: "", scheme: "http" },
  { id: "web:80", name: "web", port: "80", scheme: "http" },
  { id: "https:web:443", name: "web", port: "443", scheme: "https" },
  { id: "http:web:", name: "web", port: "", scheme: "http" },
  { id: ":web:metrics", name: "web", port: "metrics", scheme: "http" },
];
for (const { id, ...parts } of names) test(`${id} is a name`, () => assert.deepEqual(splitName(id), parts));
for (const id of ["", ":80", "ftp:web:21", "a:b:c:d"]) test(`"${id}" is none`, () => assert.equal(splitName(id), undefined));

const reaches = {
  global: ["10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "fd00::1", "::ffff:10.0.0.1"],
  loopback: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"],
  none: ["", "web", "0.0.0.0", "::", "169.254.169.254", "fe80::1", "febf::1", "224.0.0.1", "ff02::1", "255.255.255.255"],
};
for (const [reach, addresses] of Object.entries(reaches)) {
  for (const address of addresses) test(`${address} reaches ${reach}`, () => assert.equal(reachOf(address), reach));
}

const node = (addresses: { type: string; address: string }[], Port?: number) => ({
  status: { addresses, ...(Port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port } } }) },
});

test("a kubelet is where its Node says: at an address before a name, at a port that may be usual", () => {
  const hostname = { type: "Hostname", address: "node-1" };
  const internal = { type: "InternalIP", address: "fd00::1" };
  assert.equal(urlOf(kubeletTarget(node([hostname, internal], 1234)), "/"), "https://[fd00::1]:1234/");
  assert.equal(urlOf(kubeletTarget(node([hostname])), "/x"), "https://node-1:10250/x");
  assert.throws(() => kubeletTarget(node([])), { message: "no preferred addresses found; known addresses: []" });
});

test("proxies lead to this machine only where that is wanted, and never to what has no host", () => {
  checkReach("10.0.0.1", false);
  checkReach("127.0.0.1", true);
  assert.throws(() => checkReach("127.0.0.1", false), { message: "address not allowed" });
  assert.throws(() => checkReach("169.254.169.254", true), { message: "address not allowed" });
});

const paths = [
  { rest: "", path: "/proxy", goes: "" },
  { rest: "", path: "/proxy/", goes: "/" },
  { rest: "a/b", path: "/proxy/a/b", goes: "/a/b" },
  { rest: "a/b", path: "/proxy/a/b/", goes: "/a/b/" },
  { rest: "a b/ü?#%", path: "/proxy/a%20b/%C3%BC%3F%23%25", goes: "/a%20b/%C3%BC%3F%23%25" },
  { rest: "a:b@c,d;e=f&g+h$", path: "/proxy/x", goes: "/a:b@c,d;e=f&g+h$" },
  { rest: "../../etc/./passwd", path: "/proxy/x", goes: "/etc/passwd" },
];
for (const { rest, path, goes } of paths) {
  test(`${path} with ${JSON.stringify(rest)} asks for ${JSON.stringify(goes)}`, () => {
    assert.equal(proxiedPath({ rest } as ResourceRequest, path), goes);
  });
}
