import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { askBySocket } from "./ask-by-socket.ts";
import type { AskIsolation } from "./isolate-pod.ts";
import { serveIsolation } from "./isolation-server.ts";

const pod = { uid: "u", namespace: "x", name: "a", addresses: ["10.0.0.1", "fd00::1"] };
const options = { timeout: hangMs };
const never = new AbortController().signal;

async function withPath(run: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-isolation-"));
  try {
    await run(join(folder, "policy.sock"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a kubelet of another process is told what there is to know of its Pod, by a socket that is this user's alone", options, () =>
  withPath(async (path) => {
    const reported: unknown[] = [];
    const rules = Promise.withResolvers<void>();
    const ask: AskIsolation = async (asked, { onSelected }) => {
      reported.push(asked);
      onSelected();
      await rules.promise;
    };
    writeFileSync(path, "left by a process that was killed");
    await using _ = await serveIsolation(path, ask);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const onSelected = (): void => {
      reported.push("selected");
      rules.resolve();
    };
    await askBySocket(path, systemClock)(pod, { onSelected, signal: never });
    assert.deepEqual(reported, [pod, "selected"]);
  }),
);

test("who is not there yet, or is started again meanwhile, is asked again", options, () =>
  withPath(async (path) => {
    const asked = askBySocket(path, systemClock)(pod, { onSelected: () => undefined, signal: never });
    const first = Promise.withResolvers<void>();
    {
      await using _ = await serveIsolation(path, (_pod, { signal }) => {
        first.resolve();
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
      });
      await first.promise;
    }
    await using _ = await serveIsolation(path, async () => undefined);
    await asked;
  }),
);

test("who asks no longer is waited for no longer, and what is no question gets no answer", options, () =>
  withPath(async (path) => {
    const ended: string[] = [];
    await using _ = await serveIsolation(path, (_pod, { onSelected, signal }) => {
      onSelected();
      return new Promise((_resolve, reject) =>
        signal.addEventListener(
          "abort",
          () => {
            ended.push(String(signal.reason.message));
            reject(signal.reason);
          },
          { once: true },
        ),
      );
    });
    const stop = new AbortController();
    const asked = askBySocket(path, systemClock)(pod, { onSelected: () => stop.abort(new Error("enough")), signal: stop.signal });
    await assert.rejects(asked, /enough/);
    await waitUntil("it is known that nobody asks", () => ended.length === 1);
    assert.deepEqual(ended, ["the kubelet asks no longer"]);
    for (const text of ["{}\n", "no JSON\n"]) {
      const socket = connect(path);
      socket.write(text);
      let said = "";
      for await (const chunk of socket) said += chunk;
      assert.equal(said, "");
    }
  }),
);
