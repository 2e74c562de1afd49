/** The past of a server by the command: kubectl on what was, and who may see it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { findKubectls, type Kubectl, type Ran, runKubectl } from "../conformance/kubectl/kubectl.ts";
import { type Home, home, type Serving } from "./command-program.ts";

const kubectls = findKubectls();
const newest = kubectls.at(-1);
const oldest = kubectls.find(({ version }) => version.startsWith("kubectl.")) ?? kubectls[0];
/** Two versions, where there are two. */
const chosen = oldest === undefined || newest === undefined ? [] : oldest === newest ? [newest] : [oldest, newest];

const deployment = (replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1" }] } },
  },
});
const event = (uid: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "web.1", namespace: "default" },
  involvedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "default", uid },
  ...{ reason: "Tested", message: "it was there", type: "Normal", source: { component: "test" }, count: 1 },
  ...{ firstTimestamp: "2026-01-02T03:04:05Z", lastTimestamp: "2026-01-02T03:04:05Z" },
});
const hidden = Buffer.from("hidden-value").toString("base64");

interface Steps extends Pick<Home, "run" | "path"> {
  /** On the state of now; must succeed. Returns what was printed. */
  readonly kubectl: (words: string, stdin?: object) => Promise<string>;
  /** Writes an object as a file, and returns its path. */
  readonly file: (name: string, object: object) => string;
  /** Ends the server, and starts one with these options. */
  readonly restart: (...options: readonly string[]) => Promise<void>;
}

async function begin(t: TestContext, kubectl: Kubectl): Promise<Steps> {
  const { run, serve, path } = home(t);
  let server: Serving = await serve();
  const env = { KUBECONFIG: join(path, ".local/share/coxswain/kubeconfig"), HOME: path };
  return {
    ...{ run, path },
    kubectl: async (words, stdin) =>
      succeeded(await runKubectl(kubectl, words.split(" "), env, stdin === undefined ? "" : JSON.stringify(stdin))).stdout,
    file: (name, object) => {
      const file = join(path, name);
      writeFileSync(file, JSON.stringify(object));
      return file;
    },
    restart: async (...options) => {
      server.process.kill("SIGTERM");
      assert.equal((await server.ended).code, 0);
      server = await serve(...options);
    },
  };
}

const versionOf = ({ kubectl }: Steps, what: string): Promise<string> => kubectl(`get ${what} -o jsonpath={.metadata.resourceVersion}`);

function succeeded(ended: Ran): Ran {
  assert.equal(ended.code, 0, `${ended.stdout}\n${ended.stderr}`);
  return ended;
}

suite("kubectl on a past state, across a restart", { skip: chosen.length === 0 && "no kubectl here" }, () => {
  for (const kubectl of chosen) {
    test(kubectl.version, async (t) => {
      const steps = await begin(t, kubectl);
      await steps.kubectl("create -f -", deployment(1));
      await steps.kubectl("create -f -", event(await steps.kubectl("get deployment web -o jsonpath={.metadata.uid}")));
      await steps.kubectl("scale deployment web --replicas=2");
      const then = await versionOf(steps, "deployment/web");
      await steps.kubectl("scale deployment web --replicas=5");
      await steps.kubectl("delete deployment/web event/web.1");
      await steps.restart();
      const at = (...words: readonly string[]) => steps.run("at", then, kubectl.path, ...words);
      assert.match(succeeded(await at("get", "deployments")).stdout, /^NAME +READY .*\nweb +0\/2 /);
      assert.match(succeeded(await at("get", "events")).stdout, /Normal +Tested +deployment\/web +it was there/);
      const described = succeeded(await at("describe", "deployment", "web")).stdout;
      assert.match(described, /Replicas: +2 desired/);
      assert.match(described, /Normal +Tested .* it was there/);
      const wanted = steps.file("web.json", deployment(3));
      const diff = await at("diff", "-f", wanted);
      assert.equal(diff.code, 1, diff.stderr);
      assert.match(diff.stdout, /^- {2}replicas: 2\n\+ {2}replicas: 3$/m);
      assert.deepEqual(await at("diff", "-f", steps.file("same.json", deployment(2))), { code: 0, stdout: "", stderr: "" });
      assert.match(
        (await at("scale", "deployment", "web", "--replicas=9")).stderr,
        /of the past there are objects alone, and no scale of them/,
      );
      assert.match((await at("delete", "deployment", "web")).stderr, /the past cannot be changed/);
      const waited = ["wait", "deployment/web", "--timeout=2s"];
      succeeded(await at(...waited, "--for=jsonpath={.spec.replicas}=2"));
      assert.match((await at(...waited, "--for=jsonpath={.spec.replicas}=3")).stderr, /timed out waiting for the condition/);
      assert.match((await steps.run("at", "0s", kubectl.path, "get", "deployments")).stderr, /No resources found/);
      assert.equal((await steps.run("at", then, "sh", "-c", "exit 7")).code, 7);
    });
  }
});

suite("the past of an object", { skip: newest === undefined && "no kubectl here" }, () => {
  const first = newest as Kubectl;

  test("history, blame and diff name versions, writers and fields; undo brings it back", async (t) => {
    const steps = await begin(t, first);
    await steps.kubectl("create -f -", deployment(1));
    const made = await versionOf(steps, "deployment/web");
    await steps.kubectl("set image deployment/web web=nginx:2");
    const changed = await versionOf(steps, "deployment/web");
    const history = succeeded(await steps.run("history", "deploy", "web")).stdout;
    assert.match(history, new RegExp(`^${changed} +\\d+s +patch +coxswain-admin +kubectl-set +${made}$`, "m"));
    assert.match(history, /^ {2}~ \.spec\.template\.spec\.containers\[name="web"\]\.image: "nginx:1" → "nginx:2"$/m);
    assert.match(history, new RegExp(`^${made} +\\d+s +create +coxswain-admin +kubectl-create +-\n  created$`, "m"));
    const { items } = JSON.parse(succeeded(await steps.run("history", "deployments.apps/web", "-o", "json", "--limit=1")).stdout);
    assert.deepEqual(
      items.map(({ resourceVersion }: { resourceVersion: string }) => resourceVersion),
      [changed],
    );
    const blame = succeeded(await steps.run("blame", "Deployment", "web")).stdout;
    assert.match(blame, new RegExp(`^\\.spec\\.replicas +1 +${made} +\\d+s +create +coxswain-admin +kubectl-create +[0-9a-f-]{36}$`, "m"));
    assert.match(blame, new RegExp(`containers\\[name="web"\\]\\.image +"nginx:2" +${changed} `));
    const diff = await steps.run("diff", "deploy/web", made, changed);
    assert.equal(diff.code, 1, diff.stderr);
    assert.match(diff.stdout, new RegExp(`^--- deployment\\.apps/web at ${made}\n\\+\\+\\+ deployment\\.apps/web at ${changed}\n@@`));
    assert.match(diff.stdout, /^- {6}- image: nginx:1\n\+ {6}- image: nginx:2$/m);
    assert.deepEqual(await steps.run("diff", "deploy", "web", changed), { code: 0, stdout: "", stderr: "" });

    const shown = await steps.run("undo", "deploy", "web");
    assert.equal(shown.code, 1);
    assert.equal(shown.stderr, "coxswain: nothing was sent; --yes sends it\n");
    assert.match(shown.stdout, /^- {6}- image: nginx:2\n\+ {6}- image: nginx:1$/m);
    assert.match(succeeded(await steps.run("undo", "deploy", "web", "--yes")).stdout, new RegExp(`brought back to ${made}\n$`));
    assert.equal(await steps.kubectl("get deployment web -o jsonpath={..image}"), "nginx:1");
    await steps.kubectl("delete deployment web");
    succeeded(await steps.run("undo", "deploy", "web", "--to", changed, "--yes"));
    assert.equal(await steps.kubectl("get deployment web -o jsonpath={..image}"), "nginx:2");
    assert.match((await steps.run("undo", "deploy", "web")).stderr, /was made at \d+ and has not changed since/);
    assert.match((await steps.run("history", "deploy", "other")).stderr, /^coxswain: deployments\.apps "other" not found\n$/);
  });

  test("a Secret is closed to whoever may not read it now, and masked for whoever may", async (t) => {
    const steps = await begin(t, first);
    await steps.kubectl("create secret generic s --from-literal=password=hidden-value");
    const made = await versionOf(steps, "secret/s");
    await steps.kubectl('patch secret s -p {"data":{"password":"b3RoZXI="}}');
    await steps.kubectl("create clusterrole deployments --verb=get,list --resource=deployments");
    await steps.kubectl("create clusterrolebinding jane --clusterrole=deployments --user=jane");
    const jane = join(steps.path, "jane");
    writeFileSync(jane, succeeded(await steps.run("kubeconfig", "--client-name=jane")).stdout);
    const asJane = (...words: readonly string[]) => steps.run(words[0] ?? "", "--kubeconfig", jane, ...words.slice(1));
    for (const words of [
      ["history", "secret", "s"],
      ["blame", "secret", "s"],
      ["diff", "secret", "s", made],
      ["undo", "secret", "s", "--to", made, "--yes"],
      ["at", made, first.path, "get", "secret", "s", "-o", "yaml"],
      ["at", made, first.path, "get", "secrets", "-A", "-o", "yaml"],
      ["at", made, first.path, "get", "secrets", "-w"],
    ]) {
      const { code, stdout, stderr } = await asJane(...words);
      assert.notEqual(code, 0, words.join(" "));
      assert.ok(!stdout.includes(hidden), stdout);
      assert.match(stderr, /User "jane" cannot (?:get|list|watch) resource "secrets"/, words.join(" "));
    }
    succeeded(await asJane("at", made, first.path, "get", "deployments"));
    for (const words of [
      ["history", "secret", "s"],
      ["blame", "secret", "s"],
      ["diff", "secret", "s", made],
      ["undo", "secret", "s"],
    ]) {
      const { stdout, stderr } = await steps.run(...words);
      assert.match(stdout, /\*\*\*/, stderr);
      assert.ok(!stdout.includes(hidden) && !stdout.includes("b3RoZXI"), stdout);
    }
    for (const words of [
      ["get", "secret", "s"],
      ["get", "secrets", "-o", "wide"],
      ["describe", "secret", "s"],
    ]) {
      const { stdout } = succeeded(await steps.run("at", made, first.path, ...words));
      for (const value of [hidden, "hidden-value", "b3RoZXI"]) assert.ok(!stdout.includes(value), stdout);
    }
    const wanted = steps.file("s.json", { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { password: "b3RoZXI=" } });
    const diff = await steps.run("at", made, first.path, "diff", "-f", wanted);
    assert.match(diff.stdout, /\*\*\* \(before\)[\s\S]*\*\*\* \(after\)/);
    assert.ok(!diff.stdout.includes(hidden) && !diff.stdout.includes("b3RoZXI"), diff.stdout);
    // Whoever may read it gets it by asking for it.
    const read = succeeded(await steps.run("at", made, first.path, "get", "secret", "s", "-o", "jsonpath={.data.password}"));
    assert.equal(read.stdout, hidden);
    assert.match(succeeded(await steps.run("history", "secret", "s", "-o", "json")).stdout, new RegExp(`"from": "${hidden}"`));
  });

  test("what was dropped is an error that says how far back history goes", async (t) => {
    const steps = await begin(t, first);
    await steps.kubectl("create -f -", deployment(1));
    const made = await versionOf(steps, "deployment/web");
    for (const replicas of [2, 3, 4]) await steps.kubectl(`scale deployment web --replicas=${replicas}`);
    await steps.restart("--history-max-age=1ms", "--etcd-compaction-interval=200ms");
    let rounds = 0;
    const ended = await waitUntil("the history to be dropped", async () => {
      await steps.kubectl(`annotate deployment web --overwrite round=${++rounds}`);
      const found = await steps.run("at", made, first.path, "get", "deployments");
      return found.code === 0 ? undefined : found;
    });
    assert.match(ended.stderr, /^coxswain: the history begins at resourceVersion \d+, of \d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
    for (const words of [
      ["history", "deploy", "web", "--at", made],
      ["blame", "deploy", "web", "--at", made],
      ["diff", "deploy", "web", made],
    ])
      assert.equal((await steps.run(...words)).stderr, ended.stderr);
  });
});
