/** Requests that are passed on may take longer than the server lets its own ones take, as with Kubernetes. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { startNode } from "./start-node.ts";

/** Pods have none that leads back to whoever asks. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

const skip = address === undefined && "this machine has only loopback addresses";

test("a Pod that answers late is waited for, a request of the server's own is not", { skip, timeout: hangMs }, async () => {
  const waiting: ServerResponse[] = [];
  const backend = createServer((_req, res) => void waiting.push(res));
  backend.listen(0);
  await once(backend, "listening");
  const { port } = backend.address() as AddressInfo;
  await using node = await startNode({ declaredPort: port, podIp: address ?? "", serving: { requestTimeoutMs: 250 } });
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${node.token}` };
    const answer = await node.client.transport.send({ method: "GET", path, headers });
    return { status: answer.status, text: Buffer.from(await answer.bytes()).toString() };
  };
  const late = get("/api/v1/namespaces/default/pods/web/proxy/late");
  await waitUntil("the request at the Pod", () => waiting.length > 0);
  const own = await get("/api/v1/namespaces/default/configmaps?resourceVersion=1000000");
  assert.equal(own.status, 504);
  assert.match(own.text, /request did not complete within the allotted timeout/);
  // That one came later, and its time is over.
  waiting[0]?.end("late");
  assert.deepEqual(await late, { status: 200, text: "late" });
  backend.close();
});
