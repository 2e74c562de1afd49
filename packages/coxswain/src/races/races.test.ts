/** Who has which race, how many, and for how long; the thread is the real one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isNotFound,
  isServiceUnavailable,
  isTooManyRequests,
  ManualClock,
  type RaceReport,
  systemClock,
  systemRandom,
} from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { Races } from "./races.ts";

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const racesOn = (clock = systemClock): Races => new Races({ clock, random: systemRandom, log });
const seat = { race: "seat" } as const;
const nameOf = ({ metadata }: RaceReport): string => metadata.name;

test("races of several users go on beside each other, and are nobody else's", async () => {
  await using races = racesOn();
  const anns = nameOf(await races.begin("ann", seat));
  const bobs = nameOf(await races.begin("bob", { race: "apply" }));
  const step = await races.act("ann", anns, "ann-reads", 0);
  assert.deepEqual(
    step.steps.map(({ summary }) => summary.replace(/\d+/, "N")),
    ["Ann reads version N"],
  );
  assert.deepEqual(
    (await races.act("ann", anns, "bob-reads", 1)).steps.map(({ number }) => number),
    [2],
  );
  assert.equal((await races.report("ann", anns)).steps.length, 2);
  assert.equal((await races.report("bob", bobs)).steps.length, 0);
  for (const work of [races.report("bob", anns), races.act("bob", anns, "ann-reads", 0), races.end("bob", anns)])
    await assert.rejects(work, isNotFound);
  await races.end("ann", anns);
  await assert.rejects(races.report("ann", anns), isNotFound);
  assert.equal((await races.report("bob", bobs)).race, "apply");
});

test("actions that come at once are done one after another", async () => {
  await using races = racesOn();
  const id = nameOf(await races.begin("ann", seat));
  const actions = ["ann-reads", "bob-reads", "ann-writes", "bob-writes"];
  await Promise.all(actions.map((action) => races.act("ann", id, action, 0)));
  assert.deepEqual(
    (await races.report("ann", id)).steps.map(({ answer }) => answer.code),
    [200, 200, 200, 409],
  );
});

test("whoever begins a fifth race ends the one that they have not used for longest; sixteen are all that a server has", async () => {
  await using races = racesOn();
  const own: string[] = [];
  for (let at = 0; at < 4; at++) own.push(nameOf(await races.begin("ann", seat)));
  await races.report("ann", own[0] ?? "");
  await races.begin("ann", seat);
  await races.report("ann", own[0] ?? "");
  await assert.rejects(races.report("ann", own[1] ?? ""), isNotFound);
  for (const user of ["bob", "cleo", "dan"]) for (let at = 0; at < 4; at++) await races.begin(user, seat);
  await assert.rejects(races.begin("eve", seat), isTooManyRequests);
});

test("a race that is refused takes no place", async () => {
  await using races = racesOn();
  for (let at = 0; at < 20; at++) await assert.rejects(races.begin(`user-${at}`, { ...seat, yaml: "" }));
  assert.equal((await races.begin("ann", seat)).race, "seat");
});

test("a race that nobody uses ends by itself", async () => {
  const clock = new ManualClock(0);
  await using races = racesOn(clock);
  const id = nameOf(await races.begin("ann", seat));
  clock.advance(9 * 60_000);
  await races.report("ann", id);
  clock.advance(9 * 60_000);
  await races.report("ann", id);
  for (let minute = 0; minute < 12; minute++) clock.advance(60_000);
  await waitUntil("it has ended", () =>
    races.report("ann", id).then(
      () => false,
      (error: unknown) => isNotFound(error),
    ),
  );
  assert.equal((await races.begin("ann", seat)).race, "seat");
});

const scriptOf = (source: string): URL => new URL(`data:text/javascript,${encodeURIComponent(source)}`);

test("when the thread ends, its races have ended, and take no place", async () => {
  await using races = new Races({ clock: systemClock, random: systemRandom, log, script: scriptOf("process.exit(1)") });
  for (let at = 0; at < 20; at++) await assert.rejects(races.begin(`user-${at}`, seat), isServiceUnavailable);
});

test("a thread that needs too much memory ends, and the process goes on", async () => {
  const hoard =
    "require('node:worker_threads').parentPort.on('message', () => { const all = []; for (;;) all.push(new Array(1e6).fill({})); })";
  const script = scriptOf(`import module from "node:module"; const require = module.createRequire("/"); ${hoard}`);
  await using races = new Races({ clock: systemClock, random: systemRandom, log, script });
  await assert.rejects(races.begin("ann", seat), isServiceUnavailable);
});

test("a thread that does not answer is ended", async () => {
  const clock = new ManualClock(0);
  const script = scriptOf("setInterval(() => undefined, 1_000)");
  await using races = new Races({ clock, random: systemRandom, log, script });
  const begun = races.begin("ann", seat);
  const ended = assert.rejects(begun, isServiceUnavailable);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(30_000);
  await ended;
});
