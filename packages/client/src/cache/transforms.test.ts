import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deepFreeze, sharingManagedFields } from "./transforms.ts";

const entry = (fieldsV1: Record<string, unknown>) => ({
  manager: "kubelet",
  operation: "Update" as const,
  apiVersion: "v1",
  fieldsType: "FieldsV1" as const,
  fieldsV1,
});
const pod = (ip: string) => ({
  metadata: {
    name: ip,
    managedFields: [
      entry({ "f:status": { "f:phase": {}, "f:conditions": { ".": {}, 'k:{"type":"Ready"}': { ".": {} } }, "f:podIPs": { [ip]: {} } } }),
    ],
  },
});
const statusOf = ({ metadata }: ReturnType<typeof pod>) => metadata.managedFields[0]?.fieldsV1["f:status"] as Record<string, unknown>;

test("Parts of managed fields that objects have alike are the same part, and others are not", () => {
  const share = sharingManagedFields<ReturnType<typeof pod>>();
  const [a, b] = [share(pod("10.0.0.1")), share(pod("10.0.0.2"))];
  assert.equal(statusOf(a)["f:conditions"], statusOf(b)["f:conditions"]);
  assert.notEqual(statusOf(a)["f:podIPs"], statusOf(b)["f:podIPs"]);
  assert.deepEqual(b, pod("10.0.0.2"));
});

test("Sharing changes nothing of what an object says, however many there are", () => {
  const share = sharingManagedFields();
  const fields = fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.object({ maxDepth: 2, values: [fc.constant({})] })));
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 3 }), (all) => {
      const object = () => structuredClone({ metadata: { managedFields: all.map(entry) } });
      assert.deepEqual(deepFreeze(share(object())), object());
    }),
    { numRuns: 300 },
  );
});
