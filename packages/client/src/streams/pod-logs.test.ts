import assert from "node:assert/strict";
import { test } from "node:test";
import { podLogs } from "./pod-logs.ts";
import { startPod } from "./pod-under-test.ts";

test("logs line by line, with the options that the server knows", async () => {
  await using pod = await startPod({ log: "one\n\nthrée\nno end" });
  const lines = await Array.fromAsync(
    podLogs(pod.client, "web", { container: "main", tailLines: 4, timestamps: false, sinceTime: "2026-01-01T00:00:00Z" }),
  );
  assert.deepEqual(lines, ["one", "", "thrée", "no end"]);
  assert.deepEqual(pod.asked, [
    "/api/v1/namespaces/ns/pods/web/log?container=main&tailLines=4&timestamps=false&sinceTime=2026-01-01T00%3A00%3A00Z",
  ]);
});

test("a line without an end does not pile up", async () => {
  await using pod = await startPod({ log: `${"x".repeat(3_000_000)}\nlast` });
  const lines = await Array.fromAsync(podLogs(pod.client, "web"));
  assert.equal(lines.join("").length, 3_000_004);
  assert.ok(lines.every((line) => line.length <= 2 * 1024 * 1024));
  assert.equal(lines.at(-1), "last");
});
