/** What JavaScript misspells: refused with the nearest name that is known, never passed over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "@coxswain/client";
import {
  type Duration,
  everyFaultAtEveryStep,
  type FaultRule,
  FaultScript,
  randomFaults,
  startCluster,
  type TestCluster,
  VirtualClock,
  virtualClock,
} from "coxswain/testing";

const durations: readonly [duration: Duration, ms: number][] = [
  [{ minutes: 5 }, 300_000],
  [{ hours: 1, seconds: 2, ms: 3 }, 3_602_003],
  [{ days: 1 }, 86_400_000],
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1_500],
  ["0", 0],
];
for (const [duration, ms] of durations)
  test(`advance(${JSON.stringify(duration)}) lets ${ms} ms pass`, async () => {
    const clock = virtualClock({ now: 0 });
    await clock.advance(duration);
    assert.equal(clock.now(), ms);
  });

/** As a program without types would give it. */
const untyped = <T>(value: unknown): T => value as T;

const noDurations: readonly [duration: unknown, message: RegExp][] = [
  ["5", /missing unit in duration "5"; a duration is \{ minutes: 5 \}, .*"1h30m"/],
  ["5 minutes", /unknown unit " minutes"/],
  ["1d", /unknown unit "d" in duration "1d"/],
  ["-5m", /time does not pass by "-5m"/],
  [{ minute: 5 }, /a duration has no option minute; did you mean minutes\?/],
  [{ minutes: "5" }, /\{"minutes":"5"\} is no duration/],
  [{ minutes: -5 }, /time does not pass by \{"minutes":-5\}/],
  [{ seconds: Number.NaN }, /time does not pass by/],
  [{}, /\{\} is no duration/],
  [300_000, /300000 is no duration; a duration is/],
  [undefined, /undefined is no duration/],
  [[5], /a duration takes an object/],
];
for (const [duration, message] of noDurations)
  test(`advance(${JSON.stringify(duration)}) is refused`, async () => {
    const clock = virtualClock({ now: 0 });
    await assert.rejects(clock.advance(untyped(duration)), (error) => error instanceof TypeError && message.test(error.message));
    assert.equal(clock.now(), 0);
  });

const scenario = async (): Promise<void> => undefined;
const misspelt: readonly [call: string, does: (cluster: TestCluster) => unknown, message: RegExp][] = [
  [
    "startCluster",
    () => startCluster(untyped({ clokc: virtualClock() })),
    /^startCluster has no option clokc; did you mean clock\? It takes clock, seed, /,
  ],
  [
    "startCluster without a near name",
    () => startCluster(untyped({ kubernetesVersion: 1 })),
    /^startCluster has no option kubernetesVersion\. It takes/,
  ],
  [
    "startCluster with a clock alone",
    () => startCluster(untyped("clock")),
    /^startCluster takes an object of options \(clock, .*\), not "clock"$/,
  ],
  ["virtualClock", () => virtualClock(untyped({ autoadvance: true })), /did you mean autoAdvance\?/],
  ["new VirtualClock", () => new VirtualClock(untyped({ start: 0 })), /virtualClock has no option start\./],
  ["fork", (cluster) => cluster.fork(untyped({ sed: 7 })), /did you mean seed\?/],
  ["clientFor", (cluster) => cluster.clientFor({ name: "x" }, untyped({ fault: new FaultScript() })), /did you mean faults\?/],
  [
    "waitFor",
    (cluster) => cluster.waitFor(configMaps, "x", "create", untyped({ timeout: 5 })),
    /waitFor has no option timeout; did you mean timeoutMs\?/,
  ],
  [
    "waitFor with a text",
    (cluster) => cluster.waitFor(configMaps, "x", "create", untyped({ timeoutMs: "5m" })),
    /timeoutMs is in milliseconds: "5m"/,
  ],
  ["applyYaml", (cluster) => cluster.applyYaml("", untyped({ forced: true })), /did you mean force\?/],
  ["run", (cluster) => cluster.run(untyped({ controller: true })), /run has no option controller; did you mean controllers\?/],
  ["FaultScript", () => new FaultScript([], untyped({ sede: 1 })), /did you mean seed\?/],
  ["everyFaultAtEveryStep", () => everyFaultAtEveryStep(untyped({ scenario, shares: 1 })), /did you mean share\?/],
  ["randomFaults", () => randomFaults(untyped({ scenario, seed: 1 })), /did you mean seeds\?/],
];
for (const [call, does, message] of misspelt)
  test(`${call} refuses an option that it does not have`, async () => {
    await using cluster = await startCluster();
    await assert.rejects(
      async () => does(cluster),
      (error) => error instanceof TypeError && message.test(error.message),
    );
  });

const rules: readonly [rule: unknown, message: RegExp][] = [
  [{ fault: { kind: "conflcit" } }, /^there is no fault "conflcit"; did you mean conflict\? There are conflict, status, /],
  [{ fault: { kind: "toString" } }, /^there is no fault "toString"/],
  [{ fault: "conflict" }, /^there is no fault "conflict"/],
  [{}, /^there is no fault undefined/],
  [{ fault: { kind: "slow", seconds: 5 } }, /^the fault slow has no option seconds\. It takes kind, ms$/],
  [{ fault: { kind: "conflict" }, time: 3 }, /^a rule of faults has no option time; did you mean times\?/],
  [{ fault: { kind: "conflict" }, on: { resources: "pods" } }, /^the `on` of a rule has no option resources; did you mean resource\?/],
];
for (const [rule, message] of rules)
  test(`the rule ${JSON.stringify(rule)} is refused`, () => {
    const refusal = { name: "TypeError", message };
    assert.throws(() => new FaultScript([untyped<FaultRule>(rule)]), refusal);
    assert.throws(() => new FaultScript().add(untyped(rule)), refusal);
  });

test("what strikes open watches is checked like a rule", () => {
  const script = new FaultScript();
  assert.throws(() => script.strike(untyped({ kind: "stall" })), /did you mean stall-watch\?/);
  assert.throws(() => script.strike({ kind: "stall-watch" }, untyped({ verbs: "watch" })), /did you mean verb\?/);
});
