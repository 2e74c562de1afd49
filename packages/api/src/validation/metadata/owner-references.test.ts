import assert from "node:assert/strict";
import { test } from "node:test";
import { dropDuplicateOwners } from "./owner-references.ts";

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "1" };
const controller = { ...owner, controller: true };

const cases = [
  { name: "one owner stays", owners: [owner], kept: [owner], warned: undefined },
  { name: "owners that differ stay", owners: [owner, controller], kept: [owner, controller], warned: undefined },
  { name: "what repeats goes, and is named", owners: [owner, { ...owner }, controller, owner], kept: [owner, controller], warned: "1, 1" },
];
for (const { name, owners, kept, warned } of cases)
  test(name, () => {
    const meta = { ownerReferences: owners };
    const warning = dropDuplicateOwners(meta, "sent");
    assert.deepEqual(meta.ownerReferences, kept);
    assert.equal(warning?.split("observed: ")[1], warned);
  });
