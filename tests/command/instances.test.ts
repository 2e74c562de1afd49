/** Several servers of one user: their names, what shows and ends them, and their kubeconfigs. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { home } from "./command-program.ts";

interface Status {
  readonly name: string;
  readonly status: string;
  readonly pid: number;
  readonly server: string;
  readonly kubeconfig: string;
  readonly dataDir?: string;
}

test("without a server, status, stop and kubectl say that none runs", async (t) => {
  const { run } = home(t);
  assert.deepEqual(await run("status"), { code: 1, stdout: "No server runs.\n", stderr: "" });
  assert.deepEqual(await run("status", "-o", "json"), { code: 1, stdout: "[]\n", stderr: "" });
  const none = { code: 1, stdout: "", stderr: "coxswain: no server runs; start one with `coxswain`\n" };
  assert.deepEqual([await run("stop"), await run("kubectl", "get", "pods")], [none, none]);
  const named = await run("stop", "--name=dev");
  assert.deepEqual(named, { code: 1, stdout: "", stderr: "coxswain: no server with the name dev runs\n" });
});

test("servers of two names have a state and a context each, and are shown and ended by them", async (t) => {
  const { path, run, serve } = home(t);
  const [plain, dev] = await Promise.all([serve(), serve("--name=dev")]);
  const shown = await run("status", "--output=json");
  assert.equal(shown.code, 0, shown.stderr);
  const statuses = JSON.parse(shown.stdout) as Status[];
  const share = join(path, ".local/share");
  assert.deepEqual(
    statuses.map(({ name, status, pid, dataDir, kubeconfig }) => ({ name, status, pid, dataDir, kubeconfig })),
    [["default", plain, "coxswain"] as const, ["dev", dev, "coxswain-dev"] as const].map(([name, { process }, folder]) => ({
      name,
      status: "Ready",
      pid: process.pid,
      dataDir: join(share, folder),
      kubeconfig: join(share, folder, "kubeconfig"),
    })),
  );
  const text = await run("status", "--name", "dev");
  assert.match(
    text.stdout,
    /^NAME +STATUS +SERVER +PID +AGE +STATE +KUBECONFIG\ndev +Ready +https:\/\/127\.0\.0\.1:\d+ +\d+ +\d+s +\S+ +\S+\n$/,
  );
  assert.match(readFileSync(join(share, "coxswain-dev/kubeconfig"), "utf8"), /^current-context: coxswain-dev$/m);

  const second = await run("--name=dev", "--port=0");
  assert.equal(second.code, 1);
  assert.match(
    second.stderr,
    /^coxswain: a server with the name dev already runs \(process \d+ at https:\S+\); stop it with `coxswain stop --name=dev`, or choose another --name\n$/,
  );
  const overwriting = await run("--ephemeral", "--port=0", "--kubeconfig", join(share, "coxswain/kubeconfig"));
  assert.equal(
    overwriting.stderr,
    `coxswain: ${share}/coxswain/kubeconfig is the kubeconfig of a server that runs (process ${plain.process.pid}); name another file with --kubeconfig\n`,
  );

  assert.deepEqual(await run("stop"), { code: 0, stdout: `stopped default (process ${plain.process.pid})\n`, stderr: "" });
  assert.equal((await plain.ended).code, 0);
  assert.deepEqual(await run("stop"), { code: 0, stdout: `stopped dev (process ${dev.process.pid})\n`, stderr: "" });
  assert.deepEqual(readdirSync(join(path, ".local/state/coxswain/instances")), []);
});

test("of several servers without a default one, one has to be named; that of a program is none of them", async (t) => {
  const { run, serve } = home(t);
  const [a, b] = await Promise.all([serve("--ephemeral"), serve("--ephemeral", "--name=b")]);
  const { stderr } = await run("stop");
  assert.equal(stderr, `coxswain: several servers run: b, pid-${a.process.pid}; choose one with --name\n`);
  await run("stop", "--name", `pid-${a.process.pid}`);
  assert.equal((await a.ended).code, 0);
  b.process.kill("SIGTERM");
  await b.ended;
});

test("a killed server is not shown, and its name is free", async (t) => {
  const { path, run, serve } = home(t);
  const first = await serve("--ephemeral", "--name=dev");
  first.process.kill("SIGKILL");
  await first.ended;
  assert.ok(existsSync(join(path, ".local/state/coxswain/instances/dev.json")));
  assert.equal((await run("status")).stdout, "No server runs.\n");
  const second = await serve("--ephemeral", "--name=dev");
  assert.equal((JSON.parse((await run("status", "-o", "json")).stdout) as Status[])[0]?.pid, second.process.pid);
});

test("a process that has the number of an ended server is not taken for it", async (t) => {
  const { path, run } = home(t);
  const folder = join(path, ".local/state/coxswain/instances");
  mkdirSync(folder, { recursive: true });
  const record = { name: "dev", pid: process.pid, startTime: "1", startedAt: 0, version: "0.1.0" };
  writeFileSync(join(folder, "dev.json"), JSON.stringify(record));
  assert.match((await run("stop", "--name=dev")).stderr, /no server with the name dev runs/);
});

test("kubectl gets the kubeconfig, all arguments, and gives its exit code; without it there is a sentence", async (t) => {
  const bin = join(home(t).path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "kubectl"), '#!/bin/sh\necho "$KUBECONFIG" "$@"\nexit 3\n');
  chmodSync(join(bin, "kubectl"), 0o755);
  const { run, serve, path } = home(t, { PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` });
  await serve("--name=dev");
  const kubeconfig = join(path, ".local/share/coxswain-dev/kubeconfig");
  const passed = await run("kubectl", "--name=dev", "--context", "x", "expose", "--name=other", "-o", "yaml", "--", "-h");
  assert.deepEqual(passed, { code: 3, stdout: `${kubeconfig} --context x expose --name=other -o yaml -- -h\n`, stderr: "" });
  const without = home(t, { PATH: "/nonexistent", XDG_STATE_HOME: join(path, ".local/state") });
  assert.equal(
    (await without.run("kubectl", "get", "pods")).stderr,
    "coxswain: there is no kubectl on the PATH; https://kubernetes.io/docs/tasks/tools has it\n",
  );
});

test("--merge-kubeconfig adds a context while the server runs, and the next start replaces what a killed one has left", async (t) => {
  const { path, serve } = home(t);
  const file = join(path, ".kube/config");
  mkdirSync(join(path, ".kube"));
  const theirs =
    "apiVersion: v1\nclusters: []\ncontexts:\n- context:\n    cluster: kind\n  name: kind\ncurrent-context: kind\nkind: Config\nusers: []\n";
  writeFileSync(file, theirs);
  const first = await serve("--ephemeral", "--merge-kubeconfig");
  assert.match(first.stdout, /coxswain is the current context of \S+\/\.kube\/config as long as it runs/);
  assert.match(readFileSync(file, "utf8"), /^current-context: coxswain$/m);
  first.process.kill("SIGKILL");
  await first.ended;
  const second = await serve("--ephemeral", "--merge-kubeconfig");
  second.process.kill("SIGTERM");
  assert.equal((await second.ended).code, 0);
  assert.equal(readFileSync(file, "utf8"), theirs);
});
