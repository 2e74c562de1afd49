import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { roundTrip } from "./round-trip.ts";

const server = createServer((_request, response) => response.end("reached"));
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => server.close());

function ask(host: string, loopback: boolean) {
  const { port } = server.address() as AddressInfo;
  const target = { scheme: "http", host, port } as const;
  const trust = { context: undefined, verify: false };
  return roundTrip({ target, method: "GET", path: "/", headers: { host }, trust, loopback, clock: systemClock });
}

// The last four are addresses to the system's resolver alone, of which two are this machine and two its cloud's metadata.
for (const host of ["127.0.0.1", "::1", "localhost", "0x7f.1", "0177.0.0.1", "0251.254.0251.254", "0xa9fea9fe"]) {
  test(`${host} is not asked`, async () => {
    await assert.rejects(ask(host, false), { message: "address not allowed" });
  });
}

for (const host of ["127.0.0.1", "localhost"]) {
  test(`${host} is asked where this machine may be meant`, async () => {
    const answer = await ask(host, true);
    assert.equal(answer.response.statusCode, 200);
    answer.response.resume();
  });
}

test("a name that no resolver knows is that", async () => {
  await assert.rejects(ask("no-such-host.invalid", false), { code: /^(ENOTFOUND|EAI_AGAIN)$/ });
});
