/** What kubectl does inside of running containers, with each of its versions that this machine has. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs } from "@coxswain/machinery/testing";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { hasEnded, isReady, pod, script } from "./manifests.ts";
import { atTerminal, startKubectl } from "./programs.ts";
import { kubectls } from "./real-cluster.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

const sleeping = { image: images.shell, ...script("trap 'exit 0' TERM; sleep 3600 & wait") };

withRealCluster("streams of real containers", 3, (cluster) => {
  for (const kubectl of kubectls) {
    const name = kubectl.version.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase();

    test(`${kubectl.version}: exec passes input, outputs and the exit code`, async () => {
      const { apply, podOnce } = cluster();
      await apply(pod(`exec-${name}`, sleeping));
      await podOnce(`exec-${name}`, isReady);
      await using inside = startKubectl(
        cluster(),
        ["exec", "-i", `exec-${name}`, "--", "sh", "-c", "cat; echo problem >&2; exit 7"],
        kubectl,
      );
      inside.write("through and through\n");
      inside.process.stdin?.end();
      assert.equal(await inside.ended, 7);
      assert.match(inside.printed(), /through and through\n/);
      assert.match(inside.printed(), /problem\n/);
      assert.match(inside.printed(), /command terminated with exit code 7/);
    });

    test(`${kubectl.version}: exec -it gives a terminal`, async () => {
      const { apply, podOnce } = cluster();
      await apply(pod(`terminal-${name}`, sleeping));
      await podOnce(`terminal-${name}`, isReady);
      await using shell = atTerminal(cluster(), ["exec", "-it", `terminal-${name}`, "--", "sh"], kubectl);
      await shell.prints(/\/ # /);
      shell.write("tty; stty size; exit 5\r");
      await shell.prints(/\/dev\/pts\/0\r\n33 111\r\n/);
      assert.equal(await shell.ended, 5);
    });

    test(`${kubectl.version}: port-forward leads to a port of the Pod`, async () => {
      const { apply, podOnce } = cluster();
      await apply(pod(`web-${name}`, { image: images.web1 }));
      await podOnce(`web-${name}`, isReady);
      await using forward = startKubectl(cluster(), ["port-forward", `pod/web-${name}`, ":8080"], kubectl);
      const [, port] = await forward.prints(/Forwarding from 127\.0\.0\.1:(\d+) -> 8080/);
      const answers = await Promise.all(Array.from({ length: 5 }, async () => await (await fetch(`http://127.0.0.1:${port}/`)).text()));
      assert.deepEqual(new Set(answers), new Set(["version 1\n"]));
    });
  }

  test("logs -f shows each line as it comes, to the end", async () => {
    const { apply, podOnce, kubectl } = cluster();
    await apply(
      pod("talking", { image: images.shell, ...script("for i in 1 2 3; do echo line $i; sleep 0.3; done") }, { restartPolicy: "Never" }),
    );
    await podOnce("talking", (seen) => hasEnded(seen) || isReady(seen));
    await using logs = startKubectl(cluster(), "logs -f talking");
    await logs.prints(/line 1\n/);
    assert.equal(await logs.ended, 0);
    assert.equal(logs.printed(), "line 1\nline 2\nline 3\n");
    assert.equal(await kubectl("logs talking --tail=1"), "line 3\n");
    assert.match(await kubectl("logs talking --timestamps --tail=1"), /^\d{4}-\d\d-\d\dT[\d:.]+(Z|\+\d\d:\d\d) line 3\n$/);
  });

  test("logs --previous shows what the last container said", async () => {
    const { apply, podOnce, endedLogs } = cluster();
    await apply(pod("twice", { image: images.crash }));
    await podOnce("twice", ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1);
    assert.equal(await endedLogs("twice --previous"), "crashing\n");
  });

  test("cp copies files there and back", async () => {
    const { apply, podOnce, kubectl, containerd } = cluster();
    const folder = join(containerd.folder, "copied");
    mkdirSync(folder);
    const content = Buffer.alloc(300_000, "of some length\n");
    writeFileSync(join(folder, "there"), content);
    await apply(pod("copied", sleeping));
    await podOnce("copied", isReady);
    await kubectl(["cp", join(folder, "there"), "copied:/tmp/there"]);
    assert.match(await kubectl("exec copied -- wc -c /tmp/there"), /^300000 /);
    await kubectl(["cp", "copied:/tmp/there", join(folder, "back")]);
    assert.ok(readFileSync(join(folder, "back")).equals(content));
  });

  test("attach joins a container's own streams", async () => {
    const { apply, podOnce } = cluster();
    const main = { image: images.shell, stdin: true, ...script("while read line; do echo got $line; done") };
    await apply(pod("attached", main, { restartPolicy: "Never" }));
    await podOnce("attached", isReady);
    await using attached = startKubectl(cluster(), "attach -i attached");
    attached.write("a word\n");
    await attached.prints(/got a word\n/);
  });

  test("run -it --rm is a shell for the time being", async () => {
    const { podGone } = cluster();
    const words = ["run", "passing", "-it", "--rm", "--restart=Never", `--image=${images.shell}`, "--", "sh"];
    await using shell = atTerminal(cluster(), words);
    await shell.prints(/\/ # /);
    shell.write("echo $((6 * 7)); exit 3\r");
    await shell.prints(/\r\n42\r\n/);
    await shell.prints(/pod "passing" deleted/);
    assert.equal(await shell.ended, 3);
    await podGone("passing");
  });

  test("debug puts a container beside the others", async () => {
    const { apply, podOnce, kubectl, endedLogs } = cluster();
    await apply(pod("puzzling", { image: images.web1 }));
    await podOnce("puzzling", isReady);
    const words = ["debug", "puzzling", `--image=${images.shell}`, "--container=looking", "--target=main", "--", "sh", "-c"];
    await kubectl([...words, "ps; wget -qO- http://127.0.0.1:8080/"]);
    await podOnce("puzzling", ({ status }) => status?.ephemeralContainerStatuses?.[0]?.state?.terminated !== undefined);
    const logs = await endedLogs("puzzling -c looking");
    assert.match(logs, /httpd -f -p 8080/);
    assert.match(logs, /^version 1$/m);
  });

  test("top shows what Pods and the node use", async () => {
    const { apply, podOnce, attempt, kubectl } = cluster();
    await apply(pod("busy", { image: images.shell, ...script("while :; do :; done"), resources: { limits: { cpu: "100m" } } }));
    await podOnce("busy", isReady);
    // Figures are rates: there are none before the second look.
    const until = performance.now() + hangMs;
    for (let ran = await attempt("top pod busy"); ran.code !== 0; ran = await attempt("top pod busy")) {
      assert.ok(performance.now() < until, ran.stderr);
      await delay(500);
    }
    assert.match(await kubectl("top pod busy"), /^busy +\d+m +\d+Mi/m);
    assert.match(await kubectl("top node"), /^real +\d+m +\d+% +\d+Mi +\d+%/m);
  });
});
