/** Every example prints what stands beside it; after a change that is meant to: `npm run fix:examples`. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { customResourceDefinitions, isBeingDeleted, type KubeObject, namespaces } from "@coxswain/client";
import { startCluster } from "coxswain/testing";
import { examples, folder, outputOf, recordOf, stories } from "./support/output.ts";

for (const story of stories()) {
  test(`${story} prints what it should`, async () => assert.equal(await outputOf(story), readFileSync(recordOf(story), "utf8")));

  test(`${story} is short`, () => {
    const lines = readFileSync(`${folder}/${story}.ts`, "utf8").trimEnd().split("\n").length;
    assert.ok(lines < 80, `${lines} lines`);
  });
}

test("an example that there is not is said to be missing, with those that there are", async () => {
  const script = join(folder, "..", "scripts", "example.ts");
  await assert.rejects(promisify(execFile)(process.execPath, [script, "99"]), ({ code, stdout, stderr }: Failed) => {
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.equal(stderr, `There is no example 99. There are:\n${examples().join("\n")}\n`);
    return true;
  });
});

interface Failed extends Error {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

test("examples play on any cluster, and leave nothing there", async () => {
  await using cluster = await startCluster({ listen: true });
  const { kubeconfig } = await cluster.listen();
  for (const story of ["02-cinema-seat", "05-bucket-controller"]) {
    const printed = await outputOf(story, { COXSWAIN_EXAMPLE_KUBECONFIG: kubeconfig });
    assert.equal(printed.split("\n").length, readFileSync(recordOf(story), "utf8").split("\n").length);
  }
  const left = await cluster.client.resource(customResourceDefinitions).list();
  const spaces = await cluster.client.resource(namespaces).list();
  assert.deepEqual([...left.items, ...spaces.items.filter(isAnExamples)].filter(isToStay), []);
});

const isAnExamples = ({ metadata }: KubeObject) => metadata?.name?.startsWith("coxswain-example-") === true;
const isToStay = (object: KubeObject) => !isBeingDeleted(object);
