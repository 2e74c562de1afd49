import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownDetails } from "./known-details.ts";

const { signal } = new AbortController();

test("an answer to what was asked before something was forgotten is not kept", async () => {
  let cpu = 1;
  const asked: PromiseWithResolvers<void>[] = [];
  const known = new KnownDetails(
    async ({ id }: { readonly id: string; readonly state: string }) => {
      const seen = { id, cpu };
      const pause = Promise.withResolvers<void>();
      asked.push(pause);
      await pause.promise;
      return seen;
    },
    () => true,
  );
  const running = [{ id: "c", state: "RUNNING" }];
  const before = known.of(running, true, signal);
  // It is resized while the runtime answers.
  cpu = 2;
  known.forget("c");
  asked[0]?.resolve();
  assert.deepEqual(await before, [{ id: "c", cpu: 1 }]);
  const after = known.of(running, true, signal);
  asked[1]?.resolve();
  assert.deepEqual(await after, [{ id: "c", cpu: 2 }]);
  assert.deepEqual(await known.of(running, true, signal), [{ id: "c", cpu: 2 }], "and this one is kept");
});
