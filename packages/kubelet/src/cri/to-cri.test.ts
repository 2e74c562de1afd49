import assert from "node:assert/strict";
import { test } from "node:test";
import { sliceName } from "./cgroup-parents.ts";
import { signalNumber } from "./to-cri.ts";

/** From the interface's own definition. */
const signals: readonly (readonly [string, number])[] = [
  ["", 0],
  ["SIGABRT", 1],
  ["SIGHUP", 8],
  ["SIGINT", 10],
  ["SIGKILL", 13],
  ["SIGQUIT", 18],
  ["SIGTERM", 23],
  ["SIGUSR1", 29],
  ["SIGXFSZ", 34],
  ["SIGRTMIN", 35],
  ["SIGRTMIN+15", 50],
  ["SIGRTMAX-14", 51],
  ["SIGRTMAX", 65],
];
for (const [name, number] of signals)
  test(`stop signal ${name || "of the image"} is ${number}`, () => assert.equal(signalNumber(name), number));

test("what is no signal is refused", () => assert.throws(() => signalNumber("SIGNAL"), { kind: "refused" }));

test("systemd's groups are slices, named after those they are in", () => assert.equal(sliceName("coxswain/1-2-3"), "coxswain-1_2_3.slice"));
