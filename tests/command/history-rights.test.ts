/** What others than the administrator see of what happened: through `kubectl proxy`, as a browser's user does. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { suite, type TestContext, test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { findKubectls, type Kubectl, runKubectl } from "../conformance/kubectl/kubectl.ts";
import { home } from "./command-program.ts";

const kubectls = findKubectls();
/** Two versions, where there are two. */
const chosen = [kubectls[0], kubectls.find(({ version }) => version.startsWith("kubectl."))].filter((one) => one !== undefined);

const hidden = "hidden-value";
const hiddenInBase64 = Buffer.from(hidden).toString("base64");
const invariants = `apiVersion: coxswain/v1
kind: InvariantConfiguration
invariants:
- name: no-secrets
  scope: Namespace
  matchResources:
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"] }]
  expression: objects.all(one, !has(one.data) || !('password' in one.data))
  messageExpression: "'it has ' + objects[0].data.password"
- name: no-speed
  matchResources:
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }]
  expression: "!has(object.data) || !('speed' in object.data)"
`;

interface Place {
  readonly server: string;
  readonly asRoot: (...words: readonly string[]) => Promise<string>;
  /** Of who may get and list ConfigMaps of the namespace default, and nothing else. */
  readonly jane: string;
}

async function begin(t: TestContext, kubectl: Kubectl): Promise<Place> {
  const { serve, run, path } = home(t);
  writeFileSync(join(path, "invariants.yaml"), invariants);
  const { stdout } = await serve(`--invariants=${join(path, "invariants.yaml")}`);
  const env = { KUBECONFIG: join(path, ".local/share/coxswain/kubeconfig"), HOME: path };
  const asRoot = async (...words: readonly string[]): Promise<string> => {
    const ended = await runKubectl(kubectl, words, env);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout;
  };
  await asRoot("create", "role", "maps", "--verb=get,list", "--resource=configmaps");
  await asRoot("create", "rolebinding", "jane", "--role=maps", "--user=jane");
  const jane = join(path, "jane");
  writeFileSync(jane, (await run("kubeconfig", "--client-name=jane")).stdout);
  return { server: /https:\/\/[\d.:]+/.exec(stdout)?.[0] ?? "", asRoot, jane };
}

/** Of one ConfigMap and one Secret: a write, a conflict, and what an invariant forbids. */
async function happen(asRoot: Place["asRoot"]): Promise<void> {
  await asRoot("create", "configmap", "tug", "--from-literal=speed=7");
  await asRoot("create", "secret", "generic", "treasure", `--from-literal=password=${hidden}`);
  await asRoot("create", "namespace", "other");
  await asRoot("create", "configmap", "elsewhere", "-n", "other", "--from-literal=speed=7");
  for (const what of ["configmap/tug", "secret/treasure"]) {
    const old = await asRoot("get", what, "-o", "jsonpath={.metadata.resourceVersion}");
    await asRoot("annotate", what, "a=b");
    await assert.rejects(asRoot("annotate", what, "a=c", "--overwrite", `--resource-version=${old}`), /modified|Conflict/);
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Ends with the test. */
async function proxy(t: TestContext, kubectl: Kubectl, kubeconfig: string): Promise<(path: string) => Promise<Answer>> {
  const child = spawn(kubectl.path, ["proxy", "--port=0", `--kubeconfig=${kubeconfig}`], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const [, address = ""] = /^Starting to serve on (\S+)$/.exec(String(line)) ?? [];
  return async (path) => {
    const answer = await fetch(`http://${address}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
}

const anonymously = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    httpsRequest(url, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });

const namesIn = (text: string): readonly string[] =>
  (JSON.parse(text).objects as readonly { readonly namespace?: string; readonly resource: string; readonly name: string }[])
    .map(({ namespace = "", resource, name }) => `${resource} ${namespace}/${name}`)
    .filter((name) => !name.endsWith("/kube-root-ca.crt"));

suite("what happened, as a user with few rights", { skip: chosen.length === 0 && "no kubectl here" }, () => {
  for (const kubectl of chosen)
    test(kubectl.version, { timeout: hangMs }, async (t) => {
      const { server, asRoot, jane } = await begin(t, kubectl);
      await happen(asRoot);
      const ask = await proxy(t, kubectl, jane);
      const shown = async (path: string): Promise<string> => {
        const { status, text } = await ask(path);
        assert.equal(status, 200, `${path}: ${text}`);
        for (const word of [hidden, hiddenInBase64, "treasure", "elsewhere"]) assert.ok(!text.includes(word), `${path} has ${word}`);
        return text;
      };
      assert.match(await shown("/coxswain/ui/"), /<!doctype html>/i);
      assert.deepEqual(namesIn(await shown("/coxswain/v1/timeline")), ["configmaps default/tug"]);
      const conflicts = JSON.parse(await shown("/coxswain/v1/conflicts")).items as readonly {
        readonly object: { readonly name: string };
      }[];
      assert.deepEqual(
        conflicts.map(({ object }) => object.name),
        ["tug"],
      );
      const violations = await waitUntil("the invariants to be checked", async () => {
        const report = JSON.parse(await shown("/coxswain/v1/invariants"));
        return report.violations.length > 0 ? report.violations : undefined;
      });
      assert.deepEqual(
        violations.map((one: { readonly object: { readonly name: string } }) => one.object.name),
        ["tug"],
      );
      await shown("/coxswain/v1/moment");
      await shown("/coxswain/v1/history/api/v1/namespaces/default/configmaps/tug");
      await shown("/coxswain/v1/blame/api/v1/namespaces/default/configmaps/tug");
      await shown("/coxswain/v1/past/api/v1/namespaces/default/configmaps");
      assert.equal((await ask("/coxswain/v1/scheduling/default/web")).status, 404, "of a Pod that may not be got nothing is said");
      for (const path of [
        "history/api/v1/namespaces/default/secrets/treasure",
        "blame/api/v1/namespaces/default/secrets/treasure",
        "past/api/v1/namespaces/default/secrets/treasure",
        "past/api/v1/namespaces/default/secrets",
        "past/api/v1/configmaps",
        "history/api/v1/namespaces/other/configmaps/elsewhere",
      ]) {
        const { status, text } = await ask(`/coxswain/v1/${path}`);
        assert.equal(status, 403, path);
        assert.ok(!text.includes(hiddenInBase64), path);
      }
      // To the administrator all of it is shown: so the above is what was left out.
      const all = await asRoot("get", "--raw", "/coxswain/v1/invariants");
      assert.match(all, /it has aGlkZGVuLXZhbHVl/);
      assert.equal(namesIn(await asRoot("get", "--raw", "/coxswain/v1/timeline")).includes("secrets default/treasure"), true);
      for (const path of [
        "/coxswain/ui/",
        "/coxswain/v1/timeline",
        "/coxswain/v1/conflicts",
        "/coxswain/v1/invariants",
        "/coxswain/v1/moment",
      ])
        assert.equal(await anonymously(`${server}${path}`), 401, `${path} without credentials`);
    });
});
