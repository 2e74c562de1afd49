/**
 * Histories of real processes under faults, as many as fit into a test: `npm run robustness` records more. Beside the embedded store they
 * want an etcd, which is skipped without one.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Layout, layouts, startCluster, whyNot } from "./cluster.ts";
import type { Fault } from "./fault-plan.ts";
import { killAndCount } from "./kills.ts";
import { type RoundResult, runRound } from "./round.ts";
import { Summary } from "./summary.ts";

const runs = 6;
const kills = 5;
const span = { at: 300, forMs: 700 };

/** One after the other; each is lived through by several runs at the same time. */
const embedded: readonly (readonly Fault[])[] = [
  [{ kind: "kill server", process: "server-1", ...span }],
  [
    { kind: "freeze server", process: "server-1", ...span },
    { kind: "clock step", server: "server-1", offsetMs: -3_600_000, ...span },
  ],
];
const faultsOf: Readonly<Record<Layout, readonly (readonly Fault[])[]>> = {
  embedded,
  embedded2: embedded,
  embedded4: embedded,
  etcd: [
    [{ kind: "kill server", process: "server-1", ...span }],
    [
      { kind: "reset", link: "server-1 to etcd-1", afterBytes: 20, ...span },
      { kind: "kill etcd", process: "etcd-2", ...span },
    ],
  ],
  etcd3: [
    [
      { kind: "partition", member: "etcd-1", direction: "both", ...span },
      { kind: "kill server", process: "server-2", ...span },
    ],
    [
      { kind: "cut", link: "server-1 to etcd-1", direction: "from", endsBy: "reset", ...span },
      { kind: "freeze server", process: "server-3", ...span },
      { kind: "compact", ...span },
    ],
    [{ kind: "kill etcd", process: "etcd-3", ...span }],
  ],
};

for (const layout of layouts)
  suite(`real processes: ${layout}`, { skip: whyNot(layout) ?? false }, () => {
    test("histories under faults are what Kubernetes and etcd promise", async (t) => {
      await using cluster = await startCluster({ layout });
      const summary = new Summary();
      for (const [i, faults] of faultsOf[layout].entries()) {
        const result = await runRound({ seed: i + 1, cluster, runs, faults });
        assert.deepEqual(violationsOf(result), []);
        summary.add(result);
      }
      t.diagnostic(String(summary));
      assert.ok(summary.runsUnderFault > 0);
    });

    test(`${kills} kills under load lose no acknowledged write`, async (t) => {
      await using cluster = await startCluster({ layout });
      for (const of of cluster.members.length === 0 ? (["server"] as const) : (["server", "etcd"] as const)) {
        const { acknowledged, violations } = await killAndCount({ seed: 1, cluster, of, kills });
        t.diagnostic(`${kills} kills of ${of}, ${acknowledged} writes acknowledged`);
        assert.deepEqual(violations, []);
        assert.ok(acknowledged > 0);
      }
    });
  });

const violationsOf = ({ runs: recorded }: RoundResult): readonly string[] =>
  recorded.flatMap(({ namespace, violations }) => violations.map(({ name, message }) => `${namespace}: ${name}: ${message}`));
