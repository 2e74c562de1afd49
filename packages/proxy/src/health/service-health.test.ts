import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { freePort } from "../../../../tests/free-port.ts";
import { listen } from "./health-server.ts";
import { type CheckedService, ServiceHealthServers } from "./service-health.ts";

const host = "127.0.0.1";

const web = (healthCheckNodePort: number, localEndpoints: number, name = "web"): CheckedService => ({
  namespace: "default",
  name,
  healthCheckNodePort,
  localEndpoints,
});

async function asked(port: number) {
  const answer = await fetch(`http://${host}:${port}/healthz`, { headers: { connection: "close" } });
  const { headers, status } = answer;
  return { status, weight: headers.get("x-load-balancing-endpoint-weight"), type: headers.get("content-type"), body: await answer.json() };
}

const assertRefused = (port: number) =>
  assert.rejects(asked(port), (error: Error) => (error.cause as { code?: string }).code === "ECONNREFUSED");

test("the health check port of a Service says how many endpoints the node has", async () => {
  let isHealthy = true;
  await using servers = new ServiceHealthServers({
    hosts: [host],
    listen,
    isHealthy: () => isHealthy,
    onError: (_service, error) => assert.fail(String(error)),
  });
  const port = await freePort();
  const answer = (status: number, localEndpoints: number) => ({
    status,
    weight: String(localEndpoints),
    type: "application/json",
    body: { service: { namespace: "default", name: "web" }, localEndpoints, serviceProxyHealthy: isHealthy },
  });
  await servers.sync([web(port, 0)]);
  assert.deepEqual(await asked(port), answer(503, 0));
  await servers.sync([web(port, 2)]);
  assert.deepEqual(await asked(port), answer(200, 2));
  isHealthy = false;
  assert.deepEqual(await asked(port), answer(503, 2));
});

test("a health check port follows its Service, and is closed with it", async () => {
  const [first, second] = [await freePort(), await freePort()];
  {
    await using servers = new ServiceHealthServers({
      hosts: [host],
      listen,
      isHealthy: () => true,
      onError: (_service, error) => assert.fail(String(error)),
    });
    await servers.sync([web(first, 1)]);
    assert.equal((await asked(first)).status, 200);
    await servers.sync([web(second, 1)]);
    assert.equal((await asked(second)).status, 200);
    await assertRefused(first);
    // Another Service may have the port of one that is gone at once.
    await servers.sync([web(second, 1, "next")]);
    assert.deepEqual((await asked(second)).body, {
      service: { namespace: "default", name: "next" },
      localEndpoints: 1,
      serviceProxyHealthy: true,
    });
    await servers.sync([]);
    await assertRefused(second);
    await servers.sync([web(first, 1)]);
  }
  await assertRefused(first);
});

test("a health check port that another program has is reported, and opened once it is free", async () => {
  const other = createServer().listen(0, host);
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const errors: unknown[] = [];
  await using servers = new ServiceHealthServers({
    hosts: [host],
    listen,
    isHealthy: () => true,
    onError: (_service, error) => errors.push((error as { code?: string }).code),
  });
  await servers.sync([web(port, 1)]);
  assert.deepEqual(errors, ["EADDRINUSE"]);
  other.close();
  await once(other, "close");
  await servers.sync([web(port, 1)]);
  assert.equal((await asked(port)).status, 200);
});
