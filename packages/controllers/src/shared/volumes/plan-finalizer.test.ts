import assert from "node:assert/strict";
import { test } from "node:test";
import { planFinalizer } from "./plan-finalizer.ts";

const cases = [
  { name: "an object that is not deleted gets the finalizer, used or not", isBeingDeleted: false, isUsed: false, expect: "add" },
  { name: "an object that is deleted and used keeps it", isBeingDeleted: true, isUsed: true, expect: "keep" },
  { name: "an object that is deleted and not used loses it", isBeingDeleted: true, isUsed: false, expect: "remove" },
];
for (const { name, isBeingDeleted, isUsed, expect } of cases)
  test(name, () => assert.equal(planFinalizer({ isBeingDeleted, isUsed }), expect));
