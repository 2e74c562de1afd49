/** Controllers against recordings of what they did: the same does the same again, another one what it will. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import {
  type Client,
  type Controller,
  configMaps,
  controller,
  done,
  secrets,
  setControllerReference,
  sleep,
  startControllers,
} from "@coxswain/client";
import { RecordingError } from "../../recording/format.ts";
import { VirtualClock } from "../../testing/chance-and-time/virtual-clock.ts";
import { startCluster } from "../../testing/cluster/start-cluster.ts";
import type { ClusterRecordingOptions, TestCluster } from "../../testing/cluster/test-cluster.ts";
import { replayText } from "./replay-text.ts";
import { type ReplayOptions, runAgainst } from "./run-against.ts";

const copies = (change: (value: string) => string, pauseMs = 1_000): Controller =>
  controller({
    name: "copier",
    for: configMaps,
    labelSelector: "copy",
    reconcile: async (_ref, { object, client, signal }) => {
      if (object === undefined) return done;
      await sleep(client.clock, pauseMs, signal);
      const { name = "", namespace = "" } = object.metadata ?? {};
      const copy = { metadata: { name: `${name}-copy`, namespace }, data: { value: change(object.data?.value ?? "") } };
      await client
        .resource(configMaps)
        .apply(setControllerReference(copy, object, { kind: configMaps }), { fieldManager: "copier", signal });
      return done;
    },
  });
const asIs = copies((value) => value);
const upper = copies((value) => value.toUpperCase());

suite("a controller against a recording", () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-against-"));
  after(() => rmSync(folder, { recursive: true }));
  let files = 0;

  /** Two versions of a ConfigMap, and a user who writes to the copy. */
  async function recorded(
    options: ClusterRecordingOptions = {},
    run: readonly Controller[] = [asIs],
    more?: (cluster: TestCluster) => Promise<void>,
  ): Promise<string> {
    const path = join(folder, `${++files}.cox`);
    await using cluster = await startCluster({ clock: new VirtualClock({ autoAdvance: true, now: Date.UTC(2026, 0, 1) }) });
    const client = cluster.clientFor({ name: "copier" }, { fieldManager: "copier" });
    await using _running = startControllers(run, { client });
    const maps = cluster.client.resource(configMaps);
    await maps.create({ metadata: { name: "a", labels: { copy: "yes" } }, data: { value: "one" } });
    await sleep(cluster.clock, 2_000);
    await maps.patch("a-copy", { type: "merge", patch: { metadata: { labels: { seen: "yes" } } } }).catch(() => undefined);
    await maps.patch("a", { type: "merge", patch: { data: { value: "two" } } });
    await sleep(cluster.clock, 2_000);
    await more?.(cluster);
    await cluster.record(path, { reason: "a test", ...options });
    return path;
  }
  const writesOf = async (path: string, options: ReplayOptions) =>
    (await runAgainst(path, options)).steps
      .filter(({ write }) => write.key.startsWith("/registry/configmaps/default/a"))
      .map(({ who, write, skipped }) => [who, write.operation, write.ref.name, ...(skipped === undefined ? [] : [skipped])].join(" "));

  test("does the same again, at the same times, and is found out to", async () => {
    const path = await recorded();
    const result = await runAgainst(path, { against: asIs });
    assert.deepEqual(await writesOf(path, { against: asIs }), [
      "others create a",
      "both create a-copy",
      "others update a-copy",
      "others update a",
      "both update a-copy",
    ]);
    assert.deepEqual(result.outcome, { cameAgain: true, why: "the controller wrote the same as the recorded one" });
    assert.deepEqual(result.controller, { user: "copier", manager: "copier" });
    const replayed = result.steps.filter(({ who }) => who === "both").map(({ time }) => time - Date.UTC(2026, 0, 1));
    assert.deepEqual(replayed, [1_000, 3_000]);
  });

  test("is compared with the recorded one, write by write, and twice the same", async () => {
    const path = await recorded();
    const [first, second] = [await runAgainst(path, { against: upper }), await runAgainst(path, { against: upper })];
    assert.equal(replayText(first), replayText(second));
    assert.deepEqual(await writesOf(path, { against: upper }), [
      "others create a",
      "now create a-copy",
      "recorded create a-copy",
      "others update a-copy",
      "others update a",
      "now update a-copy",
      "recorded update a-copy",
    ]);
    assert.deepEqual(first.outcome, { cameAgain: false, why: "the controller wrote something else than the recorded one" });
    assert.match(replayText(first), /^\+ {5}3\.000s update configmaps default\/a-copy: \.data\.value "ONE" → "TWO"$/m);
    assert.match(replayText(first), /^- {5}3\.000s update configmaps default\/a-copy: \.data\.value "one" → "two"$/m);
  });

  test("leaves out what others wrote to objects that it does not make", async () => {
    const path = await recorded();
    assert.deepEqual(await writesOf(path, { against: [] }), [
      "others create a",
      "recorded create a-copy",
      "others update a-copy not there",
      "others update a",
      "recorded update a-copy",
    ]);
  });

  test("is followed by others: what they say of its objects is said of those that it makes", async () => {
    const path = await recorded({}, [asIs], async ({ client }) => {
      const owner = await client.resource(configMaps).get("a-copy");
      await client
        .resource(secrets)
        .create(setControllerReference({ metadata: { name: "of-copy", namespace: "default" } }, owner, { kind: configMaps }));
    });
    const { steps } = await runAgainst(path, { against: upper });
    const textOf = (name: string) =>
      JSON.stringify(steps.filter(({ who, write }) => who !== "recorded" && write.ref.name === name).map(({ write }) => write.edits));
    const [, referred = ""] = /"name":"a-copy","uid":"([\w-]+)"/.exec(textOf("of-copy")) ?? [];
    assert.match(referred, /^[\w-]{36}$/);
    const [made] = steps.filter(({ who, write }) => who === "now" && write.ref.name === "a-copy");
    assert.ok(JSON.stringify(made?.write.edits).includes(referred));
  });

  test("ends behind the write that failed, and is judged by what the object became", async () => {
    const key = "/registry/configmaps/default/a-copy";
    const { steps } = await runAgainst(await recorded(), { against: asIs });
    const revision = steps.findLast(({ who }) => who === "both")?.revision ?? 0;
    // The same run again, since clusters of the same seed are the same.
    const path = await recorded({ failure: { message: "a-copy must not say two", revision, key } });
    const again = await runAgainst(path, { against: asIs });
    assert.deepEqual(again.outcome, { cameAgain: true, why: `${key} became what it was at resourceVersion ${revision}` });
    assert.equal(again.steps.at(-1)?.revision, revision);
    assert.equal((await runAgainst(path, { against: upper })).outcome.cameAgain, false);
    const early = await runAgainst(path, { against: asIs, until: "2026-01-01T00:00:02Z" });
    assert.equal(early.steps.filter(({ who }) => who === "both").length, 1);
    assert.equal(early.outcome.why, "the controller wrote the same as the recorded one");
  });

  test("is judged by what was waited for", async () => {
    const failure = { message: "it never said TWO", key: "/registry/configmaps/default/a-copy", until: "jsonpath={.data.value}=TWO" };
    const path = await recorded({ failure });
    assert.deepEqual((await runAgainst(path, { against: asIs })).outcome, {
      cameAgain: true,
      why: "jsonpath={.data.value}=TWO did not hold of /registry/configmaps/default/a-copy in the end",
    });
    assert.equal((await runAgainst(path, { against: upper })).outcome.cameAgain, false);
  });

  test("may be a function that runs until its signal is aborted, or one that begins controllers", async () => {
    const path = await recorded();
    const loop = async (client: Client, signal: AbortSignal): Promise<void> => {
      for await (const event of client.resource(configMaps).watch({ signal, labelSelector: "copy" }))
        if (event.type === "ADDED") await client.resource(configMaps).create({ metadata: { name: "a-copy" }, data: { value: "mine" } });
    };
    assert.deepEqual((await writesOf(path, { against: loop })).slice(0, 2), ["others create a", "now create a-copy"]);
    assert.equal((await runAgainst(path, { against: () => [asIs] })).outcome.cameAgain, true);
    const { error } = await runAgainst(path, { against: () => Promise.reject(new Error("not today")) });
    assert.equal(String(error), "Error: not today");
  });

  test("that writes without end is ended", async () => {
    const path = await recorded();
    const endless = async (client: Client, signal: AbortSignal): Promise<void> => {
      for (let n = 0; ; n++)
        await client
          .resource(configMaps)
          .apply({ metadata: { name: "endless" }, data: { n: String(n) } }, { fieldManager: "copier", signal });
    };
    assert.deepEqual((await runAgainst(path, { against: endless })).outcome, {
      cameAgain: true,
      why: "the controller wrote again and again, without an end",
    });
  });

  test("needs a recording, and to know who it is", async () => {
    await assert.rejects(runAgainst(join(folder, "none.cox"), { against: asIs }), RecordingError);
    const path = await recorded();
    await assert.rejects(runAgainst(path, { against: asIs, user: "nobody" }), /nothing was written by user nobody: .*copier, 2 writes/);
    await assert.rejects(runAgainst(path, { against: asIs, until: "noon" }), RangeError);
    assert.equal((await runAgainst(path, { against: asIs, manager: "copier" })).controller.user, "copier");
  });
});
