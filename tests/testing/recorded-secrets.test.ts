/** The values of Secrets are in no byte of a recording, wherever they stood. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { configMaps, events, isInvalid, secrets } from "@coxswain/client";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";

const values = ["correct-horse/battery+staple", 'line one\nline "two" \\ three', "pässwörd-ünïcode-😀", "AAAA-token-0123456789abcdef"];
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Its bytes, and those that are compressed in it. */
function bytesOf(path: string): Buffer {
  const file = readFileSync(path);
  const parts: Buffer[] = [file];
  for (let at = file.indexOf("\n") + 1; at < file.byteLength; ) {
    const length = file.readUInt32LE(at);
    parts.push(zstdDecompressSync(file.subarray(at + 12, at + 12 + length)));
    at += 12 + length;
  }
  return Buffer.concat(parts);
}

/** How a value may stand in text, in JSON and in JSON that is in JSON. */
const formsOf = (value: string): readonly string[] => {
  const escaped = JSON.stringify(value).slice(1, -1);
  const forms = [
    value,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    base64(value),
    encodeURIComponent(value),
    Buffer.from(value).toString("base64url"),
  ];
  return [...forms, new URLSearchParams({ a: value }).toString().slice(2), base64(value).replace(/=+$/, "")];
};

async function recorded(withSecrets: boolean): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-secrets-"));
  try {
    await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
    const faults = new FaultScript([{ on: { resource: "secrets" }, nth: 3, fault: { kind: "lose-answer" } }]);
    const client = cluster.clientFor({ name: "max" }, { faults });
    const [first = "", second = "", third = "", fourth = ""] = values;
    // Before its Secret is there.
    await client
      .resource(configMaps)
      .create({ metadata: { name: "early" }, data: { password: first, [`key-${base64(second).replace(/[^\w]/g, "")}`]: base64(second) } });
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ data: { a: base64(first) }, stringData: { b: second } }),
      note: `is ${third}`,
    };
    const made = await client
      .resource(secrets)
      .create({ metadata: { name: "one", annotations }, data: { a: base64(first) }, stringData: { b: second } });
    await client.resource(secrets).create({ metadata: { name: "two" }, stringData: { c: third, d: fourth } });
    // A later version has another value, and the one before stays in history.
    await client
      .resource(secrets)
      .update({ ...made, data: { a: base64(fourth) } })
      .catch(() => undefined);
    await client.resource(secrets).delete("two");
    const involvedObject = { kind: "Secret", namespace: "default", name: "one" };
    await client.resource(events).create({
      metadata: { name: "e" },
      involvedObject,
      message: `cannot log in with ${first}: ${JSON.stringify({ second })}`,
      ...{ reason: "Failed", type: "Warning" },
    });
    // Refused requests, whose answers repeat what was sent.
    await assert.rejects(client.resource(configMaps).create({ metadata: { name: third }, data: {} }), isInvalid);
    await assert.rejects(client.resource(secrets).update({ ...made, stringData: { b: fourth } }));
    for (const value of values) {
      const path = `/api/v1/namespaces/default/configmaps?labelSelector=${encodeURIComponent(`a=${value}`)}&token=${encodeURIComponent(value)}`;
      await client.request({ method: "GET", path, headers: { authorization: `Bearer ${value}` } }).catch(() => undefined);
    }
    const path = join(folder, "secrets.cox");
    await cluster.record(path, {
      reason: `it was ${first}`,
      failure: { message: `expected ${second}, found ${base64(third)}` },
      withSecrets,
    });
    return bytesOf(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

suite("values of Secrets in a recording", () => {
  test("are there when they are asked for", async () => {
    const bytes = await recorded(true);
    for (const value of values)
      assert.ok(
        formsOf(value).some((form) => bytes.includes(form)),
        value,
      );
  });

  test("are else in no byte of it, in no form", async () => {
    const bytes = await recorded(false);
    for (const value of values) for (const form of formsOf(value)) assert.ok(!bytes.includes(form), form);
    assert.ok(bytes.includes("redacted-1") && bytes.includes(base64("redacted-2")));
    assert.ok(bytes.includes('"fault":"lose-answer"'));
    assert.ok(bytes.includes('"reason":"Invalid"'));
  });
});
