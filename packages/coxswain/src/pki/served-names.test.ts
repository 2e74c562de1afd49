import assert from "node:assert/strict";
import { test } from "node:test";
import { servedNames } from "./served-names.ts";

const surroundings = { address: "127.0.0.1", hostname: "Machine", addresses: ["192.0.2.7"], serviceIp: "10.96.0.1" };

test("a certificate has the names of the machine, of the Service, and those that were asked for", () => {
  const { dns, ip } = servedNames({ ...surroundings, extra: ["API.example", "192.0.2.9", "localhost"] });
  assert.deepEqual(dns.slice(-2), ["machine", "api.example"]);
  assert.equal(dns.filter((name) => name === "localhost").length, 1);
  assert.deepEqual(ip, ["127.0.0.1", "::1", "10.96.0.1", "192.0.2.9"]);
});

test("a server that listens on all addresses is called by each of them", () => {
  assert.ok(servedNames({ ...surroundings, address: "0.0.0.0" }).ip.includes("192.0.2.7"));
});
