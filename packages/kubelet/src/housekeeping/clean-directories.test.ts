import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { createDirectoryCleanup } from "./clean-directories.ts";

const now = Date.UTC(2026, 0, 1);
const quiet = new AbortController().signal;

test("deletes logs and messages of what is gone, and nothing else", async () => {
  const directory = await mkdtemp(join(tmpdir(), "files-"));
  const put = async (path: string, ageMinutes = 60): Promise<void> => {
    const whole = join(directory, path);
    await mkdir(dirname(whole), { recursive: true });
    await writeFile(whole, "");
    const at = new Date(now - ageMinutes * 60_000);
    for (const one of [whole, dirname(whole), dirname(dirname(whole))]) await utimes(one, at, at);
  };
  for (const file of ["0.log", "1.log.20260101-000000.gz", "2.log", "3.log", "notes"]) await put(`logs/ns_web_known/c/${file}`);
  await put("logs/ns_web_known/never/0.log");
  await put("logs/ns_old_gone/c/0.log");
  await put("logs/ns_new_unheard/c/0.log", 1);
  await put("logs/ns_left_present/c/0.log");
  await put("root/pods/known/containers/c/old");
  await put("root/pods/known/containers/c/mounted");
  await put("root/pods/known/containers/c/young", 1);
  const of = (uid: string, attempt: number, logPath: string, ...mounts: string[]): Partial<ContainerStatus> => ({
    pod: { uid, namespace: "ns", name: "web" },
    attempt,
    logPath: join(directory, logPath),
    mounts: mounts.map((path) => ({ containerPath: "/dev/termination-log", hostPath: join(directory, path) })),
  });
  const containers = [
    of("known", 2, "logs/ns_web_known/c/2.log"),
    of("known", 3, "logs/ns_web_known/c/3.log", "root/pods/known/containers/c/mounted"),
    of("present", 0, "logs/ns_left_present/c/0.log"),
  ];
  const collector = createDirectoryCleanup({
    runtime: { listContainers: async () => containers as ContainerStatus[] },
    clock: new ManualClock(now),
    rootDir: join(directory, "root"),
    logsDir: join(directory, "logs"),
    isKnown: (uid) => uid === "known",
    log: { warn: () => undefined },
  });
  await collector.collect(quiet);
  const left = (path: string) => readdir(join(directory, path)).then((names) => names.sort());
  assert.deepEqual(await left("logs/ns_web_known/c"), ["2.log", "3.log", "notes"]);
  assert.deepEqual(await left("logs"), ["ns_left_present", "ns_new_unheard", "ns_web_known"]);
  assert.deepEqual(await left("logs/ns_web_known/never"), ["0.log"]);
  assert.deepEqual(await left("root/pods/known/containers/c"), ["mounted", "young"]);
  await rm(directory, { recursive: true });
});
