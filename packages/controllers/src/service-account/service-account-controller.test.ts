import assert from "node:assert/strict";
import { test } from "node:test";
import { plan } from "./service-account-controller.ts";

const cases = [
  { name: "an active Namespace without its account gets one", isActive: true, hasAccount: false, expect: "create" },
  { name: "an active Namespace with its account is left alone", isActive: true, hasAccount: true, expect: "nothing" },
  { name: "a terminating Namespace gets none", isActive: false, hasAccount: false, expect: "nothing" },
];
for (const { name, isActive, hasAccount, expect } of cases) test(name, () => assert.equal(plan({ isActive, hasAccount }), expect));
