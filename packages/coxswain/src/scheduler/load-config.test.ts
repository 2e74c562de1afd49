import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseSchedulerOptions } from "../options/scheduler-options.ts";
import { StartError } from "../process/start-error.ts";
import { loadSchedulerConfig } from "./load-config.ts";

const silent = { print: () => undefined, printError: () => undefined };
const folder = mkdtempSync(join(tmpdir(), "coxswain-scheduler-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test("scheduler: options", () => {
  const options = parseSchedulerOptions(["--config", "c.yaml", "--leader-elect", "--metrics-port", "0"], silent);
  assert.equal(options.config, "c.yaml");
  assert.deepEqual(options.leaderElection?.lease, { namespace: "kube-system", name: "kube-scheduler" });
  assert.equal(options.metricsPort, 0);
});

const plugin = "(args) => ({ name: 'Cheap', score: () => args.most ?? 1 })";

test("plugins stand in modules that a file names", async () => {
  file("cheap.ts", `export default { Cheap: ${plugin} };`);
  const config = await loadSchedulerConfig(
    file(
      "own.yaml",
      `apiVersion: scheduler.coxswain.io/v1
kind: SchedulerConfiguration
plugins: [./cheap.ts]
profiles: [{plugins: {score: {enabled: [{name: Cheap, weight: 5}]}}}]`,
    ),
  );
  assert.deepEqual(config.profiles[0]?.plugins.score?.at(-1), { name: "Cheap", weight: 5 });
});

test("a module is a configuration", async () => {
  const config = await loadSchedulerConfig(
    file("own.ts", `export default { plugins: { Cheap: ${plugin} }, profiles: [{ schedulerName: "cheap" }] };`),
  );
  assert.equal(config.profiles[0]?.schedulerName, "cheap");
});

const wrong = [
  { name: "missing.yaml", text: undefined, says: /^cannot read the configuration: / },
  { name: "list.yaml", text: "- 1", says: /Object 'Kind' is missing/ },
  { name: "broken.yaml", text: "a: [", says: /broken\.yaml: / },
  { name: "empty.ts", text: "export {};", says: /the default export has to be what defineScheduler gives/ },
  { name: "throws.ts", text: "throw new Error('no');", says: /cannot load .*throws\.ts: no/ },
  {
    name: "gone.yaml",
    text: "apiVersion: scheduler.coxswain.io/v1\nkind: SchedulerConfiguration\nplugins: [no-such-plugins]",
    says: /cannot find the plugins no-such-plugins/,
  },
];
for (const { name, text, says } of wrong)
  test(`scheduler: ${name} cannot be used`, async () => {
    const path = text === undefined ? join(folder, name) : file(name, text);
    await assert.rejects(loadSchedulerConfig(path), (error) => error instanceof StartError && says.test(error.message));
  });
