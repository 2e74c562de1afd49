import assert from "node:assert/strict";
import { test } from "node:test";
import { slowStart } from "./slow-start.ts";

const cases: readonly { name: string; count: number; failFrom?: number; calls: number; succeeded: number }[] = [
  { name: "nothing to do", count: 0, calls: 0, succeeded: 0 },
  { name: "all of them", count: 12, calls: 12, succeeded: 12 },
  { name: "one call shows that none will succeed", count: 100, failFrom: 0, calls: 1, succeeded: 0 },
  { name: "the batch of a failure is the last", count: 100, failFrom: 5, calls: 7, succeeded: 5 },
];
for (const { name, count, failFrom = Number.POSITIVE_INFINITY, calls, succeeded } of cases)
  test(name, async () => {
    let made = 0;
    const result = await slowStart(count, async () => {
      if (made++ >= failFrom) throw new Error("quota");
    });
    assert.deepEqual({ made, succeeded: result.succeeded }, { made: calls, succeeded });
    assert.equal(result.error instanceof Error, calls < count);
  });
