import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict, isConflict, modifiedMessage, notFound, StatusError } from "@coxswain/machinery";
import { alwaysZero, HastyClock } from "../rest/scripted-transport.ts";
import { defaultBackoff, defaultRetry, RetriesExhausted, retryOnConflict } from "./retry-on-conflict.ts";

const seats = { group: "cinema.example", resource: "seats" };
const lose = (): StatusError => conflict(seats, "a1", modifiedMessage);
const halfway = { ...alwaysZero, next: () => 0.5 };

/** As `wait.Backoff` of k8s.io/apimachinery 0.36 counts, with half of the jitter. */
const schedules = [
  { name: "client-go's DefaultRetry", options: defaultRetry, waits: [10.5, 10.5, 10.5, 10.5] },
  { name: "client-go's DefaultBackoff", options: defaultBackoff, waits: [10.5, 52.5, 262.5] },
  { name: "no longer than the cap", options: { attempts: 4, baseDelayMs: 10, factor: 10, jitter: 0, capMs: 50 }, waits: [10, 50, 50] },
];
for (const { name, options, waits } of schedules)
  test(`waits between attempts: ${name}`, async () => {
    const clock = new HastyClock();
    const seen: number[] = [];
    const always = retryOnConflict(
      async (attempt) => {
        seen.push(attempt);
        throw lose();
      },
      { ...options, clock, random: halfway },
    );
    await assert.rejects(always, RetriesExhausted);
    assert.deepEqual(
      seen,
      Array.from({ length: waits.length + 1 }, (_, i) => i + 1),
    );
    assert.deepEqual(clock.waits, waits);
  });

test("gives what the first attempt without a conflict gives", async () => {
  const clock = new HastyClock();
  const result = await retryOnConflict(async (attempt) => (attempt < 3 ? Promise.reject(lose()) : attempt), { clock, random: alwaysZero });
  assert.equal(result, 3);
});

test("other errors pass at once", async () => {
  const clock = new HastyClock();
  await assert.rejects(
    retryOnConflict(() => Promise.reject(notFound(seats, "a1")), { clock, random: alwaysZero }),
    { code: 404 },
  );
  assert.deepEqual(clock.waits, []);
});

test("ends with the signal, between attempts too", async () => {
  const clock = new HastyClock();
  const leave = new AbortController();
  const attempts: number[] = [];
  const retried = retryOnConflict(
    async (attempt) => {
      attempts.push(attempt);
      if (attempt === 2) leave.abort(new Error("enough"));
      throw lose();
    },
    { clock, random: alwaysZero, signal: leave.signal },
  );
  await assert.rejects(retried, /enough/);
  assert.deepEqual(attempts, [1, 2]);
});

test("the last error is a conflict, and explains what changed between the attempts", async () => {
  const explained = (field: string): StatusError => {
    const { status } = lose();
    const causes = [{ reason: "OverlappingChange", field, message: 'changed by manager "ann"; this write changes it too' }];
    return new StatusError({ ...status, details: { ...status.details, causes } });
  };
  const fields = [".spec.a", ".spec.b"];
  const options = { attempts: 2, clock: new HastyClock(), random: alwaysZero };
  await assert.rejects(
    retryOnConflict((attempt) => Promise.reject(explained(fields[attempt - 1] ?? "")), options),
    (error) => {
      assert.ok(isConflict(error) && error instanceof RetriesExhausted);
      assert.equal(error.conflicts.length, 2);
      assert.equal(error.status.message, lose().message);
      assert.equal(
        error.message,
        `${lose().message}
tried 2 times
attempt 1: ${lose().message}
  .spec.a: changed by manager "ann"; this write changes it too
attempt 2: ${lose().message}
  .spec.b: changed by manager "ann"; this write changes it too`,
      );
      return true;
    },
  );
});
