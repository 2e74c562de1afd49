/** The past, and invariants, of several servers in one process: whichever is asked says the same. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Client, configMaps } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { connectAll, start, textAt } from "./server-threads.ts";

const skip = process.platform === "linux" ? false : "threads share a port on Linux";
const map = "/api/v1/namespaces/default/configmaps/m";
const invariants = `apiVersion: coxswain/v1
kind: InvariantConfiguration
invariants:
- name: it-grows
  matchResources:
    resourceRules:
    - { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], resourceNames: ["m"] }
  expression: oldObject == null || int(object.data.n) > int(oldObject.data.n)
`;

for (const kept of ["in a data directory", "in memory"] as const)
  test(`history, blame, the past and the timeline are the same at each of several servers, ${kept}`, {
    skip,
    timeout: hangMs,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "invariants.yaml");
    writeFileSync(file, invariants);
    const place = kept === "in memory" ? ["--ephemeral"] : ["--data-dir", join(folder, "data")];
    const command = await start(t, ...place, "--servers=2", `--invariants=${file}`);
    const clients = await connectAll(t, command, 2);
    const resources = clients.map((client) => client.resource(configMaps, "default"));
    const made = await resources[0]?.create({ metadata: { name: "m" }, data: { n: "0" } });
    // Written at each server in turn.
    for (const [i, resource] of resources.entries()) await resource.patch("m", { type: "merge", patch: { data: { n: String(i + 1) } } });
    const fell = await resources.at(-1)?.patch("m", { type: "merge", patch: { data: { n: "0" } } });
    const said = async (path: string): Promise<string> => {
      const answers = new Set(await Promise.all(clients.map((client) => textAt(client, path))));
      assert.equal(answers.size, 1, path);
      return [...answers].join();
    };
    const history = JSON.parse(await said(`/coxswain/v1/history${map}`));
    assert.equal(history.items.length, clients.length + 2);
    assert.deepEqual([history.items[0].resourceVersion, history.items[0].changes[0].to], [fell?.metadata?.resourceVersion, "0"]);
    const blame = JSON.parse(await said(`/coxswain/v1/blame${map}`));
    assert.equal(blame.fields.find(({ field }: { field: string }) => field === ".data.n").resourceVersion, fell?.metadata?.resourceVersion);
    const then = made?.metadata?.resourceVersion;
    assert.equal(JSON.parse(await said(`/coxswain/v1/past${map}?at=${then}`)).data.n, "0");
    assert.equal(JSON.parse(await said(`/coxswain/v1/moment?at=${then}`)).resourceVersion, then);
    const timeline = JSON.parse(await said(`/coxswain/v1/timeline?upTo=${fell?.metadata?.resourceVersion}`));
    assert.ok(timeline.objects.some(({ name }: { name: string }) => name === "m"));
    await waitUntil("the invariants to be checked", async () => {
      const report = JSON.parse(await textAt(clients[0] as Client, "/coxswain/v1/invariants"));
      return Number(report.metadata.resourceVersion) >= Number(fell?.metadata?.resourceVersion);
    });
    const found = await Promise.all(clients.map(async (client) => JSON.parse(await textAt(client, "/coxswain/v1/invariants")).violations));
    for (const [violation, ...more] of found)
      assert.deepEqual([violation.first.resourceVersion, violation.object.name, more.length], [fell?.metadata?.resourceVersion, "m", 0]);
  });
