/** Each plugin gives each node what kube-scheduler 1.36 gives it, on clusters at random. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newPodInfo } from "@coxswain/scheduler";
import { type PluginArgs, type PluginRun, pluginRun } from "../plugin-run.ts";
import { type Case, type Outcome, readCases } from "./case.ts";
import configuration from "./configuration.json" with { type: "json" };

describe("nodes and their scores are the real scheduler's", () => {
  for (const [i, { nodes, there, services, pod, outcome }] of readCases().entries())
    test(`cluster ${i + 1}: ${titleOf(outcome)}`, () => {
      const cluster = { nodes, pods: there, services, namespaces: [{ metadata: { name: "default" } }] };
      const run = pluginRun(cluster, argsOf(pod.spec?.schedulerName));
      const ours = outcomeOf(run, pod);
      if ("scores" in outcome && "scores" in ours) {
        for (const plugin of new Set([...Object.keys(outcome.scores), ...Object.keys(ours.scores)]))
          assert.deepEqual(withoutZeros(ours.scores[plugin]), withoutZeros(outcome.scores[plugin]), plugin);
        assert.deepEqual(nodesOf(ours), nodesOf(outcome));
      } else assert.deepEqual(ours, outcome);
    });
});

/** Those of the profile. */
function argsOf(schedulerName: string | undefined): PluginArgs {
  const config = configuration.profiles.find((profile) => profile.schedulerName === schedulerName)?.pluginConfig ?? [];
  return Object.fromEntries(config.map(({ name, args }) => [name, args]));
}

function outcomeOf(run: PluginRun, pod: Case["pod"]): Outcome {
  const info = newPodInfo(pod);
  const refusals = run.refusals(info);
  const fitting = run.snapshot().nodes.filter(({ name }) => !refusals.has(name));
  const [only] = fitting;
  if (only === undefined) return { reasons: reasonsOf(refusals.values()) };
  return fitting.length === 1 ? { only: only.name } : { scores: run.scores(info, fitting) };
}

function reasonsOf(refusals: Iterable<readonly string[]>): string {
  const counts = new Map<string, number>();
  for (const reasons of refusals) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}

/** Whether a plugin says nothing or 0 makes no difference. */
const withoutZeros = (scores: Readonly<Record<string, number>> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(scores).filter(([, score]) => score !== 0));

/** TaintToleration scores every node. */
function nodesOf(outcome: Outcome): readonly string[] {
  return "scores" in outcome ? Object.keys(outcome.scores.TaintToleration ?? {}).sort() : [];
}

function titleOf(outcome: Outcome): string {
  return "scores" in outcome ? `the Pod fits ${nodesOf(outcome).length} nodes` : "only" in outcome ? "it fits one" : "it fits none";
}
