/**
 * The controllers of the examples come to the same end whatever goes wrong at whatever step: a request, a watch, a whole
 * process, the leadership, the cloud. Some faults are tried at some steps; `--all` tries all at all, and `COXSWAIN_FAULTS=all`
 * more kinds of them on two candidates, and hundreds of random scripts instead of a few.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AsyncDisposableStack, internalError, tooManyRequests } from "@coxswain/machinery";
import {
  type ClusterSnapshot,
  everyFault,
  everyFaultAtEveryStep,
  type Fault,
  randomFaults,
  type Scenario,
  startCluster,
  type TestCluster,
  virtualClock,
} from "coxswain/testing";
import { applies, writesReplicas, writesTeam } from "../../examples/06-two-controllers-one-object.ts";
import { startLibrary } from "../client/library.ts";
import { propertyRuns, runsAll } from "../scope.ts";
import { bucketDefinition, bucketScenario, leaderScenario } from "./convergence/buckets.ts";
import { FaultChoice } from "./convergence/fault-choice.ts";
import { cinema, loopScenario, operators, podWriters, seatDefinition } from "./convergence/retry-loops.ts";
import { shelfScenario } from "./convergence/shelf.ts";
import { pairScenario } from "./convergence/two-controllers.ts";

const all = process.env.COXSWAIN_FAULTS === "all";

const share = all || runsAll ? {} : { share: 0.15 };

const faultChoice = new FaultChoice();
const everywhere: Readonly<Record<string, Fault>> = {
  ...everyFault,
  "too-many": { kind: "status", error: tooManyRequests("a fault script says so", 5) },
  "internal-error": { kind: "status", error: internalError("a fault script says so") },
  ...faultChoice.ofProcesses,
};

interface Case {
  readonly scenario: () => Scenario;
  /** With whatever it needs. Default: without anything. */
  readonly from?: () => Promise<TestCluster>;
  /** Of those that all go through. Default: every one. */
  readonly common?: readonly string[];
  readonly faults?: Readonly<Record<string, Fault>>;
  /** At least, when all are tried. */
  readonly runs: number;
}

const cases: Readonly<Record<string, Case>> = {
  "a controller of buckets in a cloud": {
    scenario: () => bucketScenario(faultChoice),
    from: () => startWith(bucketDefinition),
    faults: faultChoice.ofCloud,
    runs: 700,
  },
  "the same with a leader and one who waits": {
    scenario: () => leaderScenario(faultChoice),
    from: () => startWith(bucketDefinition),
    // Most steps are renewals of a lease.
    ...(all ? {} : { common: ["conflict", "lose-answer", "stall-watch", "crash-after"] }),
    faults: { ...faultChoice.ofLeaders, ...(all ? faultChoice.ofCloud : {}) },
    runs: 300,
  },
  "two controllers that update one object": {
    scenario: () => pairScenario(faultChoice, { autoscaler: writesReplicas(5), labeler: writesTeam("shop") }),
    runs: 100,
  },
  "two controllers that apply to one object": {
    scenario: () =>
      pairScenario(faultChoice, {
        autoscaler: applies("autoscaler", { spec: { replicas: 5 } }),
        labeler: applies("labeler", { labels: { team: "shop" } }),
      }),
    runs: 100,
  },
  "a controller of objects whose names the server chooses": { scenario: () => shelfScenario(faultChoice), from: startLibrary, runs: 100 },
  "couples who book a seat each": { scenario: () => loopScenario(faultChoice, cinema), from: () => startWith(seatDefinition), runs: 50 },
  "operators who modify one object": { scenario: () => loopScenario(faultChoice, operators), runs: 30 },
  "a scheduler and a kubelet": { scenario: () => loopScenario(faultChoice, podWriters), runs: 30 },
};

for (const [name, { scenario, from = startWith, common = Object.keys(everywhere), faults, runs: expected }] of Object.entries(cases)) {
  const options = async () => ({ from: await snapshotOf(from), faults: { ...only(everywhere, common), ...faults } });

  test(`${name}: each fault at each step`, async (t) => {
    const { runs, steps } = await everyFaultAtEveryStep({ ...(await options()), ...share, scenario: scenario() });
    t.diagnostic(`${runs} runs, ${steps.length} steps`);
    assert.ok(runs >= (runsAll ? expected : expected / 10), `${runs} runs`);
  });

  test(`${name}: many faults at once`, async (t) => {
    const { runs, fired } = await randomFaults({
      ...(await options()),
      scenario: scenario(),
      seeds: all ? 300 : propertyRuns(8),
      chance: 0.2,
    });
    t.diagnostic(`${fired} faults in ${runs} runs`);
  });
}

async function startWith(definition?: Parameters<TestCluster["applyYaml"]>[0]): Promise<TestCluster> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ clock: virtualClock({ now: Date.UTC(2026, 0, 1), autoAdvance: true }) }));
  if (definition !== undefined) await cluster.applyYaml(definition);
  stack.move();
  return cluster;
}

async function snapshotOf(start: () => Promise<TestCluster>): Promise<ClusterSnapshot> {
  await using cluster = await start();
  return cluster.snapshot();
}

const only = <T>(record: Readonly<Record<string, T>>, names: readonly string[]): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
