/** Recordings where nothing but the package is installed: of a server, and of a test that fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs } from "@coxswain/machinery/testing";
import { emptyFolder, strangersEnvironment } from "./empty-folder.ts";
import { startInstalled } from "./installed-command.ts";
import { installedNode } from "./installed-node.ts";
import { startProgram } from "./started-program.ts";

/** With a copy of our packages that need not be that of the command. */
const mended = `
import { configMaps, controller, done, isConflict, StatusError } from "@coxswain/client";
export default controller({
  name: "colours",
  for: configMaps,
  reconcile: async (_ref, { object, client, signal }) => {
    if (object?.metadata?.name !== "wall" || object.data?.colour !== "green") return done;
    const stale = { ...object, metadata: { ...object.metadata, resourceVersion: "1" }, data: { colour: "red" } };
    await client.resource(configMaps).update(stale, { signal }).catch((error) => {
      if (!isConflict(error) || !(error instanceof StatusError)) throw error;
    });
    await client.resource(configMaps).patch("wall", { type: "merge", patch: { data: { colour: "blue" } } }, { signal });
    return done;
  },
});
`;

const failing = `
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";
test("a wall is blue", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const walls = cluster.clientFor({ name: "colours" }).resource(configMaps);
  await cluster.client.resource(configMaps).create({ metadata: { name: "wall" }, data: { colour: "green" } });
  await walls.patch("wall", { type: "merge", patch: { data: { colour: "red" } } });
  await cluster.waitFor(configMaps, "wall", "jsonpath={.data.colour}=blue", { timeoutMs: 1_000 });
});
`;

test("the installed command records a server, shows it, and runs a controller against the recording of a failed test", {
  timeout: hangMs,
}, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain", "@coxswain/client"] });
  const node = await installedNode(26);
  if ("missing" in node) return t.skip(node.missing);
  await using server = await startInstalled(folder, ["--apiserver-only"], node);
  await using client = await clientFromKubeconfig({ paths: [server.kubeconfig] });
  await client.resource(configMaps, "default").create({ metadata: { name: "wall" }, data: { colour: "green" } });
  const recorded = await folder.run("npx", ["coxswain", "record", "--kubeconfig", server.kubeconfig, "--out", "bug.cox", "--since", "1h"], {
    node,
  });
  assert.equal(recorded.code, 0, recorded.stderr);
  await server.stop();

  const replay = startProgram(t, `${folder.path}/node_modules/.bin/coxswain`, ["replay", `${folder.path}/bug.cox`], {
    ...process.env,
    ...strangersEnvironment(node),
  });
  const [, link = ""] = await replay.printed(/until Ctrl-C\): (\S+)/);
  const opened = await fetch(link, { redirect: "manual" });
  assert.equal(opened.status, 303);
  const headers = { cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" };
  assert.match(await (await fetch(new URL("/coxswain/ui/", link), { headers })).text(), /<title>coxswain timeline<\/title>/);
  const past = (await (await fetch(new URL("/coxswain/v1/past/api/v1/namespaces/default/configmaps/wall", link), { headers })).json()) as {
    readonly data: { readonly colour: string };
  };
  assert.equal(past.data.colour, "green");
  assert.equal((await fetch(new URL("/coxswain/v1/timeline", link))).status, 401);
  assert.equal(await replay.stop(), 0, replay.output());

  folder.write("wall.test.mjs", failing);
  folder.write("mended.mjs", mended);
  const failed = await folder.run("node", ["--test", "wall.test.mjs"], { node, env: { COXSWAIN_RECORDINGS: folder.path } });
  assert.equal(failed.code, 1);
  const [, file = ""] = /The run is recorded in (\S+): npx coxswain replay/.exec(failed.stdout) ?? [];
  const against = await folder.run("npx", ["coxswain", "replay", file, "--against", "mended.mjs", "--as", "colours"], { node });
  assert.equal(against.code, 0, against.stdout + against.stderr);
  assert.match(against.stdout, /^\+ .*update configmaps default\/wall: \.data\.colour "green" → "blue"$/m);
  assert.match(
    against.stdout,
    /^It did not come again: jsonpath=\{\.data\.colour\}=blue held of \/registry\/configmaps\/default\/wall in the end\.$/m,
  );
});
