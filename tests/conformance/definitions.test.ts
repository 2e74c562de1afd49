/**
 * The CustomResourceDefinitions of real projects, and their sample objects, against the real command. They are read from
 * the folder that COXSWAIN_CRDS names, laid out as definitions/projects.ts says; without one this is skipped.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { run } from "./client-program.ts";
import { startCommand } from "./command-under-test.ts";
import { Connection } from "./definitions/connection.ts";
import { assertShown, install, remove } from "./definitions/install.ts";
import { readProjects } from "./definitions/projects.ts";
import { createSamples, type Outcome, show } from "./definitions/samples.ts";
import { findKubectls } from "./kubectl/kubectl.ts";

const folder = process.env.COXSWAIN_CRDS;
const kubectl = findKubectls()[0];

describe("the definitions of real projects", { skip: folder === undefined ? "COXSWAIN_CRDS names no folder" : false }, async () => {
  const projects = folder === undefined ? [] : await readProjects(folder);
  const definitions = projects.flatMap((project) => project.definitions);

  test(`${definitions.length} definitions are installed, shown, used and removed`, async (t) => {
    const command = await startCommand("--ephemeral", "--log-level", "warn");
    t.after(() => command.stop());
    const memory = (): string => memoryOf(command.process.pid ?? 0);
    using api = new Connection(command);
    await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "samples" } } });
    t.diagnostic(`${memory()} before`);

    const started = performance.now();
    const times = new Map<string, number>();
    for (const definition of definitions) times.set(definition.file, await install(api, definition));
    const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, 3);
    t.diagnostic(
      `installed in ${Math.round(performance.now() - started)} ms; the slowest: ${slowest.map(([file, ms]) => `${file} ${Math.round(ms)} ms`)}`,
    );
    t.diagnostic(`${memory()} with all installed`);

    await t.test("each is in discovery, in OpenAPI and has its columns", () => assertShown(api, definitions));
    t.diagnostic(`${memory()} after all OpenAPI documents were read`);
    for (const project of projects)
      await t.test(`${project.name}: its ${project.samples.length} samples`, async (t) =>
        report(t, await createSamples(api, project, "samples")),
      );
    t.diagnostic(`${memory()} with the samples`);
    await t.test("removed, they leave nothing", () => remove(api, definitions));
    t.diagnostic(`${memory()} with all removed`);
    assert.equal(command.log(), "");
  });

  test("kubectl applies those that fit its annotation, twice, knows their kinds, and deletes them", {
    skip: kubectl === undefined ? "there is no kubectl" : false,
  }, async (t) => {
    if (kubectl === undefined) return;
    const command = await startCommand("--ephemeral", "--log-level", "warn");
    t.after(() => command.stop());
    const env = { KUBECONFIG: command.kubeconfig, HOME: command.directory, KUBECACHEDIR: join(command.directory, "cache") };
    const fitting = definitions.filter(({ object }) => JSON.stringify(object).length < lastAppliedLimit);
    const files = join(command.directory, "crds");
    mkdirSync(files);
    for (const { path, file } of fitting) symlinkSync(path, join(files, file));
    const kubectlOk = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(kubectl.path, args, { env, timeoutMs: hangMs });
      assert.equal(code, 0, stderr);
      assert.equal(stderr.replaceAll(expectedNotes, ""), "");
      return stdout.trim();
    };
    const versions = (): Promise<string> => kubectlOk("get", "crd", "-o", "jsonpath={.items[*].metadata.resourceVersion}");

    const created = (await kubectlOk("apply", "-f", files)).split("\n");
    assert.deepEqual([created.length, created.filter((line) => !line.endsWith(" created"))], [fitting.length, []]);
    while (/False|Unknown/.test(await kubectlOk("get", "crd", "-o", `jsonpath=${established}`)));
    const before = await versions();
    await kubectlOk("apply", "-f", files);
    assert.equal(await versions(), before);
    assert.equal(await kubectlOk("get", fitting.map(({ object }) => object.metadata?.name).join(","), "-A"), "");
    await kubectlOk("delete", "-f", files, "--wait=false");
    while ((await kubectlOk("get", "crd", "-o", "name")) !== "");
    t.diagnostic(`${fitting.length} of ${definitions.length}`);
  });
});

const established = '{.items[*].status.conditions[?(@.type=="Established")].status}';

/** Some definitions give strings a format of numbers, or deprecate a version. */
const expectedNotes = /^(Warning: (unrecognized format|\S+ \S+ is deprecated).*|No resources found)\n/gm;

/** Of all annotations together. */
const lastAppliedLimit = 256 * 1024;

function report(t: TestContext, outcomes: readonly Outcome[]): void {
  const count = (kind: Outcome["kind"]): string => `${outcomes.filter((outcome) => outcome.kind === kind).length} ${kind}`;
  t.diagnostic([count("accepted"), count("refused"), count("unconverted")].join(", "));
  for (const outcome of outcomes) if (outcome.kind === "refused") t.diagnostic(show(outcome));
}

/** The resident set, where the system reports it. */
function memoryOf(pid: number): string {
  try {
    return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024)} MB`;
  } catch {
    return "memory unknown";
  }
}
