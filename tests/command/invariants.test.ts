/** Invariants of a file by the command: what it says of them, and that no version is missed across a restart. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { findKubectls, type Kubectl, runKubectl } from "../conformance/kubectl/kubectl.ts";
import { type Home, home, type Serving } from "./command-program.ts";

const kubectl = findKubectls().at(-1);

const file = `apiVersion: coxswain/v1
kind: InvariantConfiguration
invariants:
- name: a-price-only-grows
  matchResources:
    resourceRules:
    - { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }
  expression: oldObject == null || int(object.data.price) >= int(oldObject.data.price)
  messageExpression: "'the price fell to ' + object.data.price"
`;

interface Steps extends Pick<Home, "run" | "path" | "serve"> {
  /** Must succeed. Returns what was printed. */
  readonly kubectl: (...words: readonly string[]) => Promise<string>;
  readonly patch: (price: string) => Promise<number>;
  readonly violations: () => Promise<readonly Violation[]>;
}

interface Violation {
  readonly first: { readonly resourceVersion: string };
  readonly message: string;
  readonly isViolated: boolean;
  readonly count: number;
  readonly chain: readonly { readonly reason: string; readonly resourceVersion: string }[];
}

interface Report {
  readonly metadata: { readonly resourceVersion: string };
  readonly violations: readonly Violation[];
}

function stepsIn(t: TestContext, used: Kubectl): Steps {
  const at = home(t);
  writeFileSync(join(at.path, "invariants.yaml"), file);
  const env = { KUBECONFIG: join(at.path, ".local/share/coxswain/kubeconfig"), HOME: at.path };
  const ask = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runKubectl(used, [...words], env, "");
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const versionOf = () => ask("get", "configmap", "seat", "-o", "jsonpath={.metadata.resourceVersion}");
  return {
    ...at,
    kubectl: ask,
    patch: async (price) => {
      await ask("patch", "configmap", "seat", "-p", JSON.stringify({ data: { price } }));
      return Number(await versionOf());
    },
    violations: async () => {
      const newest = Number(await versionOf());
      const report = await waitUntil("all to be checked", async () => {
        const { code, stdout } = await at.run("invariants", "-o", "json");
        const made = code === 0 ? (JSON.parse(stdout) as Report) : undefined;
        return Number(made?.metadata.resourceVersion) >= newest ? made : undefined;
      });
      return report.violations;
    },
  };
}

const serve = (steps: Steps, ...options: readonly string[]): Promise<Serving> =>
  steps.serve(`--invariants=${join(steps.path, "invariants.yaml")}`, ...options);

/** Resolves with its log. */
async function end(server: Serving, signal: "SIGTERM" | "SIGKILL"): Promise<string> {
  server.process.kill(signal);
  return (await server.ended).stderr;
}

suite("invariants of a file", { skip: kubectl === undefined && "no kubectl here" }, () => {
  const used = kubectl as Kubectl;

  test("the first violating write is logged, counted, and shown with what led to it", async (t) => {
    const steps = stepsIn(t, used);
    const server = await serve(steps);
    await steps.kubectl("create", "configmap", "seat", "--from-literal=price=10");
    const fell = await steps.patch("9");
    await steps.patch("8");
    const [violation, ...more] = await steps.violations();
    assert.deepEqual([violation?.first.resourceVersion, violation?.message, more.length], [String(fell), "the price fell to 9", 0]);
    const { stdout: table } = await steps.run("invariants");
    assert.match(table, new RegExp(`^a-price-only-grows +default configmap/seat +${fell} +\\d+s +coxswain-admin +yes$`, "m"));
    const { stdout: story } = await steps.run("invariants", "a-price-only-grows");
    assert.match(
      story,
      / {2}\d+ {2}configmap default\/seat created by "coxswain-admin" with kubectl-create at .*: this is what the last writer had read\n/,
    );
    assert.match(
      story,
      new RegExp(`  ${fell}  configmap default/seat updated \\(patch\\) by "coxswain-admin" with kubectl-patch at .*: this broke it\n`),
    );
    assert.match(story, /\.data\.price: "10" → "9"\n +had read configmaps default\/seat at \d+\n +request [0-9a-f-]{36}\n/);
    const events = await waitUntil("the Event", async () => {
      const printed = await steps.kubectl("get", "events");
      return printed.includes("InvariantViolated") ? printed : undefined;
    });
    assert.match(
      events,
      /Warning +InvariantViolated +configmap\/seat +Invariant a-price-only-grows does not hold since .*: the price fell to 9/,
    );
    assert.match(
      await steps.kubectl("get", "--raw", "/metrics"),
      /^coxswain_invariant_violations_total\{invariant="a-price-only-grows"\} 1$/m,
    );
    assert.match((await steps.run("invariants", "other")).stderr, /checks no invariant "other"/);
    const logged = (await end(server, "SIGTERM")).split("\n").filter((line) => line.includes("an invariant does not hold"));
    assert.equal(logged.length, 1);
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const)
    test(`no version is missed where the server ends by ${signal} and begins again`, async (t) => {
      const steps = stepsIn(t, used);
      const first = await serve(steps);
      await steps.kubectl("create", "configmap", "seat", "--from-literal=price=10");
      await steps.violations();
      await end(first, signal);
      // Nobody checks what happens now.
      const second = await steps.serve();
      const fell = await steps.patch("9");
      await steps.patch("11");
      await end(second, signal);
      const third = await serve(steps);
      const [violation] = await steps.violations();
      assert.deepEqual([violation?.first.resourceVersion, violation?.isViolated, violation?.count], [String(fell), false, 1]);
      assert.deepEqual(
        violation?.chain.map(({ reason }) => reason),
        ["before", "violates"],
      );
      await end(third, signal);
      const fourth = await serve(steps);
      const [again, ...more] = await steps.violations();
      assert.deepEqual([again?.first.resourceVersion, more.length, again?.chain.length], [String(fell), 0, 2]);
      assert.match(again?.message ?? "", /the price fell to 9/);
      await end(fourth, signal);
    });

  test("a new invariant is checked on all versions that are known", async (t) => {
    const steps = stepsIn(t, used);
    const first = await steps.serve();
    await steps.kubectl("create", "configmap", "seat", "--from-literal=price=10");
    const fell = await steps.patch("9");
    await end(first, "SIGTERM");
    await serve(steps);
    assert.equal((await steps.violations())[0]?.first.resourceVersion, String(fell));
  });

  test("where it is not known any more how far checking was, all is checked anew", async (t) => {
    const steps = stepsIn(t, used);
    const first = await serve(steps);
    await steps.kubectl("create", "configmap", "seat", "--from-literal=price=10");
    const fell = await steps.patch("9");
    await steps.violations();
    await end(first, "SIGTERM");
    writeFileSync(join(steps.path, ".local/share/coxswain/invariants.json"), '{"version":1,"invar');
    const second = await serve(steps);
    assert.equal((await steps.violations())[0]?.first.resourceVersion, String(fell));
    assert.match(await end(second, "SIGTERM"), /"level":"warn".*failed to read how far invariants were checked/);
  });

  test("of an encrypted state no values are kept beside it", async (t) => {
    const steps = stepsIn(t, used);
    const key = Buffer.alloc(32, 7).toString("base64");
    const aes = { aesgcm: { keys: [{ name: "k", secret: key }] } };
    const resources = [{ resources: ["configmaps"], providers: [aes] }];
    const encryption = join(steps.path, "encryption.json");
    writeFileSync(encryption, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources }));
    const server = await serve(steps, `--encryption-provider-config=${encryption}`);
    await steps.kubectl("create", "configmap", "seat", "--from-literal=price=4711");
    await steps.patch("4242");
    assert.equal((await steps.violations())[0]?.message, "the price fell to 4242");
    await end(server, "SIGTERM");
    const kept = readFileSync(join(steps.path, ".local/share/coxswain/invariants.json"), "utf8");
    assert.equal(/4711|4242/.test(kept), false);
    assert.match(kept, /a-price-only-grows/);
  });
});

test("a file that is wrong keeps the server from starting, with the line", async (t) => {
  const { run, path } = home(t);
  const wrong = join(path, "wrong.yaml");
  writeFileSync(wrong, file.replace("object.data.price) >=", "objet.data.price) >="));
  const { code, stderr } = await run("--port=0", "--apiserver-only", `--invariants=${wrong}`);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^coxswain: --invariants: .*wrong\.yaml: line 8: invariants\[0\]\.expression: ERROR: [\s\S]*undeclared reference to 'objet'/,
  );
  const missing = await run("--port=0", "--apiserver-only", `--invariants=${join(path, "none.yaml")}`);
  assert.match(missing.stderr, /^coxswain: --invariants: ENOENT/);
});

test("a server that checks none says so", { skip: kubectl === undefined && "no kubectl here" }, async (t) => {
  const { run, serve: begin } = home(t);
  await begin();
  const { code, stderr } = await run("invariants");
  assert.deepEqual([code, stderr], [1, "coxswain: the server checks no invariants: it is told to by --invariants=FILE\n"]);
});
