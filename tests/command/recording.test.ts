/** Recordings by the command: who may record what, what kubectl sees of them, and a controller against one. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { readRecording } from "coxswain/testing";
import { root } from "../../scripts/checks/tree.ts";
import { findKubectls, type Kubectl, runKubectl } from "../conformance/kubectl/kubectl.ts";
import { type Ended, type Home, home } from "./command-program.ts";

const newest = findKubectls().at(-1);
const options = { timeout: hangMs, skip: newest === undefined && "no kubectl here" };

interface Steps extends Pick<Home, "run" | "begin"> {
  readonly kubectl: (words: string) => Promise<string>;
  readonly path: (name: string) => string;
}

async function begin(t: TestContext): Promise<Steps> {
  const { run, serve, path, begin: start } = home(t);
  await serve();
  const env = { KUBECONFIG: join(path, ".local/share/coxswain/kubeconfig"), HOME: path };
  return {
    ...{ run, begin: start, path: (name) => join(path, name) },
    kubectl: async (words) => succeeded(await runKubectl(newest as Kubectl, words.split(" "), env, "")).stdout,
  };
}

function succeeded<E extends Pick<Ended, "code" | "stdout" | "stderr">>(ended: E): E {
  assert.equal(ended.code, 0, `${ended.stdout}\n${ended.stderr}`);
  return ended;
}

/** How many objects of each resource there are, or were. */
async function named(path: string): Promise<ReadonlyMap<string, number>> {
  const { records, isWhole } = await readRecording(path);
  assert.ok(isWhole);
  const refs = records.flatMap((record) => (record.kind === "object" || record.kind === "change" ? [record.ref] : []));
  const objects = new Map(refs.map((ref) => [JSON.stringify([ref.resource, ref.namespace, ref.name]), ref.resource]));
  return new Map([...Map.groupBy(objects.values(), (resource) => resource)].map(([resource, { length }]) => [resource, length]));
}

suite("recordings", options, () => {
  test("have what happened since, or for a while, of all or of some; kubectl reads every moment of them", async (t) => {
    const steps = await begin(t);
    await steps.kubectl("create namespace shop");
    await steps.kubectl("create configmap prices --from-literal=seat=12 -n shop");
    const before = await steps.kubectl("get configmap prices -n shop -o jsonpath={.metadata.resourceVersion}");
    await steps.kubectl("create secret generic door --from-literal=key=hidden-value -n shop");
    await steps.kubectl('patch configmap prices -n shop -p {"data":{"seat":"15"}}');
    await steps.kubectl("create configmap other --from-literal=a=b");
    const all = steps.path("all.cox");
    assert.match(
      succeeded(await steps.run("record", "--out", all, "--since", "10m")).stdout,
      /all\.cox has \d+ records since resourceVersion 1, of /,
    );
    const replay = (...words: readonly string[]) => steps.run("replay", ...words);
    const read = async (...words: readonly string[]): Promise<string> => succeeded(await replay(...words)).stdout;
    const { path: kubectl } = newest as Kubectl;
    assert.match(await read(all, kubectl, "get", "configmaps", "-A"), /^default +other .*\n(?:.*\n)*shop +prices /m);
    assert.equal(await read("--at", before, all, kubectl, "get", "configmap", "prices", "-n", "shop", "-o", "jsonpath={.data.seat}"), "12");
    assert.equal(await read(all, kubectl, "get", "configmap", "prices", "-n", "shop", "-o", "jsonpath={.data.seat}"), "15");
    assert.equal(
      await read(all, kubectl, "get", "secret", "door", "-n", "shop", "-o", "jsonpath={.data.key}"),
      Buffer.from("redacted-1").toString("base64"),
    );
    assert.match((await replay(all, kubectl, "delete", "configmap", "prices", "-n", "shop")).stderr, /the past cannot be changed/);

    const some = steps.path("some.cox");
    succeeded(await steps.run("record", "--out", some, "--from", before, "-n", "shop", "--resources", "cm,secrets", "--with-secrets"));
    assert.deepEqual(
      await named(some),
      new Map([
        ["configmaps", 1],
        ["secrets", 1],
      ]),
    );
    assert.equal(
      await read(some, kubectl, "get", "secret", "door", "-n", "shop", "-o", "jsonpath={.data.key}"),
      Buffer.from("hidden-value").toString("base64"),
    );

    const live = steps.path("live.cox");
    const recording = steps.begin(["record", "--out", live]);
    await waitUntil("the recording to begin", () => recording.printed().stderr.includes("until Ctrl-C"));
    await steps.kubectl("create configmap late --from-literal=a=b");
    recording.child.kill("SIGINT");
    succeeded(await recording.ended);
    assert.equal(
      (await named(live)).get("configmaps") !== undefined &&
        (await read(live, kubectl, "get", "configmap", "late", "-o", "jsonpath={.data.a}")),
      "b",
    );
    succeeded(await steps.run("record", "--out", steps.path("short.cox"), "--for", "100ms"));
  });

  test("are of what their user may list, and leave no file where there is nothing to write", async (t) => {
    const steps = await begin(t);
    await steps.kubectl("create configmap mine --from-literal=a=b");
    await steps.kubectl("create secret generic s --from-literal=password=hidden-value");
    await steps.kubectl("create role reader --verb=list --resource=configmaps");
    await steps.kubectl("create rolebinding jane --role=reader --user=jane");
    await steps.kubectl("create clusterrole timeline --verb=get --non-resource-url=/coxswain/v1/timeline");
    await steps.kubectl("create clusterrolebinding jane --clusterrole=timeline --user=jane");
    const jane = steps.path("jane");
    writeFileSync(jane, succeeded(await steps.run("kubeconfig", "--client-name=jane")).stdout);
    const out = steps.path("janes.cox");
    const { stderr } = succeeded(await steps.run("record", "--kubeconfig", jane, "--out", out, "--since", "10m"));
    assert.match(stderr, /^coxswain: not in it, for want of rights: .*\bnamespaces, .*\bsecrets\b/);
    assert.deepEqual(await named(out), new Map([["configmaps", 1]]));
    assert.ok(!readFileSync(out).includes("hidden-value"));

    const again = await steps.run("record", "--out", out, "--since", "10m");
    assert.deepEqual([again.code, again.stderr], [1, `coxswain: ${out} is there already\n`]);
    for (const [words, message] of [
      [["--from", "2030-01-01T00:00:00Z", "--resources", "wishes"], /doesn't have a resource type "wishes"/],
      [["--from", "noon"], /at must be a resourceVersion, a time/],
      [["--for", "long"], /It must be a duration/],
    ] as const) {
      const refused = await steps.run("record", "--out", steps.path("none.cox"), ...words);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, message);
      assert.ok(!existsSync(steps.path("none.cox")), words.join(" "));
    }
  });
});

test("a controller is run against a recording, and its exit code says what came of it", { timeout: hangMs }, async (t) => {
  const { run, path } = home(t);
  const file = join(path, "fight.cox");
  const url = (name: string): string => JSON.stringify(pathToFileURL(join(root, name)).href);
  writeFileSync(join(path, "record.ts"), recordFight(url));
  writeFileSync(join(path, "as-it-was.ts"), `export { scales as default } from "./scales.ts";`);
  writeFileSync(join(path, "scales.ts"), scales(url));
  writeFileSync(
    join(path, "mended.ts"),
    "export default async (client, signal) => new Promise((resolve) => signal.addEventListener('abort', resolve));",
  );
  writeFileSync(join(path, "broken.ts"), "export default () => { throw new Error('not today'); };");
  writeFileSync(join(path, "none.ts"), "export const a = 1;");
  await import(pathToFileURL(join(path, "record.ts")).href);
  const against = (module: string, ...words: readonly string[]) =>
    run("replay", file, "--against", join(path, module), "--as", "scaler", ...words);
  const again = await against("as-it-was.ts");
  assert.equal(again.code, 1, again.stderr);
  assert.match(again.stdout, /^= +\d+\.\d{3}s update deployments\.apps default\/web: \.spec\.replicas 3 → 5$/m);
  assert.match(again.stdout, /^It came again: \.spec\.replicas of \/registry\/deployments\/default\/web was set back \d+ times/m);
  assert.equal((await against("as-it-was.ts")).stdout, again.stdout);
  const mended = await against("mended.ts", "-o", "json");
  assert.equal(mended.code, 0, mended.stderr);
  assert.equal(JSON.parse(mended.stdout).outcome.cameAgain, false);
  for (const [module, message] of [
    ["broken.ts", /not today/],
    ["none.ts", /the default export of .*none\.ts has to be a controller/],
    ["missing.ts", /there is no .*missing\.ts/],
  ] as const) {
    const { code, stderr } = await against(module);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
  truncateSync(file, readFileSync(file).byteLength - 3);
  assert.match((await run("replay", file, "cat", "/dev/null")).stderr, /fight\.cox was not written to its end: what follows is up to /);
  assert.match((await run("replay", join(path, "none.ts"))).stderr, /^coxswain: .*none\.ts is no recording of coxswain\n$/);
});

const scales = (url: (name: string) => string): string => `
import { controller, deployments, done, sleep } from ${url("packages/client/src/index.ts")};
export const scalesTo = (replicas: number) => controller({
  name: "scales", for: deployments,
  reconcile: async (_ref, { object, client, signal }) => {
    await sleep(client.clock, 1_000, signal);
    if (object !== undefined && object.spec?.replicas !== replicas) await client.resource(deployments).update({ ...object, spec: { ...object.spec, replicas } } as never, { signal });
    return done;
  },
});
export const scales = scalesTo(5);
`;

const recordFight = (url: (name: string) => string): string => `
import { deployments, sleep, startControllers } from ${url("packages/client/src/index.ts")};
import { startCluster, virtualClock } from ${url("packages/coxswain/src/testing/index.ts")};
import { scales, scalesTo } from "./scales.ts";
await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
await cluster.client.resource(deployments).create({ metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "web" } }, template } });
await using _a = startControllers([scales], { client: cluster.clientFor({ name: "scaler" }) });
await using _b = startControllers([scalesTo(3)], { client: cluster.clientFor({ name: "deployer" }) });
await sleep(cluster.clock, 20_000);
await cluster.record(import.meta.dirname + "/fight.cox", { reason: "a fight" });
`;
