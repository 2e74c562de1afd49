import assert from "node:assert/strict";
import { test } from "node:test";
import { expose } from "./exposition.ts";
import { Metrics } from "./metrics.ts";

const name = "apiserver_envelope_encryption_kms_operations_latency_seconds";

test("calls of key management services are exposed by how they end, and not without any", () => {
  const metrics = new Metrics({ startedAt: 0 });
  assert.equal(expose(metrics).text.includes(name), false);
  const labels = { provider_name: "k", method_name: "/v2.KeyManagementService/Encrypt", grpc_status_code: "OK" };
  for (const seconds of [0.00015, 0.5]) metrics.kms.calls.observe(labels, seconds);
  const lines = expose(metrics).text.split("\n");
  const own = lines.filter((line) => line.startsWith(name));
  const given = 'provider_name="k",method_name="/v2.KeyManagementService/Encrypt",grpc_status_code="OK"';
  assert.ok(own.includes(`${name}_count{${given}} 2`), own.join("\n"));
  assert.ok(own.includes(`${name}_bucket{${given},le="0.0001"} 0`), own.join("\n"));
  assert.ok(own.includes(`${name}_bucket{${given},le="0.0002"} 1`), own.join("\n"));
});
