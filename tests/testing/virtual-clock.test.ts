import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { startCluster, virtualClock } from "coxswain/testing";

test("timers run at their own moments, and their consequences before the next", async () => {
  const clock = virtualClock({ now: 0 });
  const seen: string[] = [];
  const note = (what: string) => void seen.push(`${what} at ${clock.now()}`);
  const twice = async (name: string, ms: number) => {
    await sleep(clock, ms);
    note(name);
    await new Promise((resolve) => setImmediate(resolve));
    await sleep(clock, ms);
    note(`${name} again`);
  };
  const work = [twice("a", 100), twice("b", 150), twice("c", 1_000)];
  await clock.advance({ ms: 200 });
  assert.deepEqual(seen, ["a at 100", "b at 150", "a again at 200"]);
  assert.equal(clock.now(), 200);
  await clock.advance({ seconds: 2, ms: 800 });
  assert.deepEqual(seen.slice(3), ["b again at 300", "c at 1000", "c again at 2000"]);
  assert.equal(clock.now(), 3_000);
  await Promise.all(work);
});

test("a clock that advances by itself goes to the next timer when everything waits", async () => {
  const clock = virtualClock({ now: 0, autoAdvance: true });
  let upkeep = 0;
  const tick = () => {
    upkeep++;
    clock.schedule(60_000, tick).unref();
  };
  clock.schedule(60_000, tick).unref();
  await sleep(clock, 3_600_000);
  assert.equal(clock.now(), 3_600_000);
  assert.equal(upkeep, 59);
  await quiescence({ observe: () => [clock.now(), clock.waiting] });
  assert.equal(clock.now(), 3_600_000, "upkeep alone keeps no time going");
});

test("time stands still while something is under way", async () => {
  const clock = virtualClock({ now: 0, autoAdvance: true });
  const outside = new Promise<number>((resolve) => setTimeout(() => resolve(clock.now()), 20));
  const [began] = await Promise.all([clock.track(outside), sleep(clock, 1_000)]);
  assert.equal(began, 0);
  assert.equal(clock.now(), 1_000);
});

test("time stands still for what never waits for it, however long that takes", async () => {
  const clock = virtualClock({ now: 0, autoAdvance: true });
  const outside = new Promise<number>((resolve) => setTimeout(() => resolve(clock.now()), 250));
  const [ended] = await Promise.all([clock.track(outside, { neverWaits: true }), sleep(clock, 1_000)]);
  assert.equal(ended, 0);
});

test("work that waits for the clock itself does not stop it", async () => {
  const clock = virtualClock({ now: 0 });
  const work = clock.track(sleep(clock, 5_000));
  await clock.advance({ seconds: 5 });
  await work;
});

test("a day with a watch open passes quickly, with its bookmarks and its end", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2030, 0, 1) }) });
  const answer = await cluster.transport.send({
    method: "GET",
    path: "/api/v1/configmaps?watch=1&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=86400",
    headers: {},
  });
  let bookmarks = 0;
  const read = (async () => {
    for await (const chunk of answer.chunks()) bookmarks += Buffer.from(chunk).toString().trim().split("\n").length;
  })();
  await cluster.advance({ days: 1 });
  await read;
  assert.equal(bookmarks, 1441, "the first state, one each minute, and one at the end");
  assert.equal(new Date(cluster.clock.now()).toISOString(), "2030-01-02T00:00:00.000Z");
});

test("objects are of virtual time, and tokens end in it", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2030, 0, 1) }) });
  const [account] = await cluster.applyYaml("{ apiVersion: v1, kind: ServiceAccount, metadata: { name: robot } }");
  assert.equal(account?.metadata?.creationTimestamp, "2030-01-01T00:00:00Z");
  const ref = await cluster.client.refOf({ apiVersion: "v1", kind: "ServiceAccount" });
  const request = { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", spec: { expirationSeconds: 600 } };
  const { status } = (await cluster.client.resource(ref).subresource("robot", "token").create(request)) as never as {
    status: { token: string };
  };
  const review = async () => {
    const reviews = await cluster.client.refOf({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" });
    const object = { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", spec: { token: status.token } };
    const answer = (await cluster.client.resource(reviews).create(object)) as never as { status: { authenticated?: boolean } };
    return answer.status.authenticated ?? false;
  };
  assert.equal(await review(), true);
  await cluster.advance({ minutes: 9 });
  assert.equal(await review(), true);
  await cluster.advance({ minutes: 3 });
  assert.equal(await review(), false);
});

test("only virtual time can be advanced", async () => {
  await using cluster = await startCluster();
  await assert.rejects(cluster.advance({ seconds: 1 }), /virtualClock/);
});
