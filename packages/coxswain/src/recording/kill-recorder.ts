/** A program for the tests to kill: records without a pause, and prints a line for each part that was written. Argument: the file. */
import { RecordingWriter } from "./recording-writer.ts";

const [path = ""] = process.argv.slice(2);
const time = "2026-01-01T00:00:00.000Z";
const facts = { coxswain: "0.1.0", made: time, source: "test", time: "real", reason: "a test", secrets: "redacted" } as const;
const writer = new RecordingWriter(path, { kind: "header", ...facts, from: { resourceVersion: 7, time } });
const ref = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespace: "default", name: "a" };
for (let resourceVersion = 8; ; resourceVersion++) {
  const object = { metadata: { name: "a" }, data: { text: String(resourceVersion).repeat(500) } };
  writer.write({ kind: "change", resourceVersion, time: resourceVersion, operation: "update", by: {}, ref, object });
  if (resourceVersion % 100 !== 7) continue;
  writer.flush();
  await new Promise<void>((resolve) => process.stdout.write("part\n", () => resolve()));
}
