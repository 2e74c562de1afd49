/**
 * The timeline page in Chromium, on a server with a million versions of 10,000 Pods below 2,500 ReplicaSets and Deployments: until its
 * first picture, until all is loaded, and the frames of scrolling through all lanes, by Chromium's own trace. Prints one JSON line per
 * measurement; the arguments are how many versions and how many objects.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecordable, openHistory } from "@coxswain/history";
import { ManualClock } from "@coxswain/machinery";
import { type Entry, openSqliteStore } from "@coxswain/store";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../tests/browser/chromium.ts";
import { mainFile } from "../tests/conformance/command-under-test.ts";

const versions = Number(process.argv[2] ?? 1_000_000);
const objects = Number(process.argv[3] ?? 10_000);
/** Beside each other on their way. */
const atOnce = 32;
const writeEveryMs = 20;
const frames = 300;
const rowsEachFrame = 5;
const rowHeight = 24;
const users = [
  "system:serviceaccount:kube-system:deployment-controller",
  "system:serviceaccount:kube-system:replicaset-controller",
  "system:node:node-1",
  "ann",
];

type Kind = readonly [
  group: string,
  resource: string,
  kind: string,
  above?: { readonly kind: string; readonly resource: string; readonly apiVersion: string },
];
const deployment: Kind = ["apps", "deployments", "Deployment"];
const replicaSet: Kind = ["apps", "replicasets", "ReplicaSet", { kind: "Deployment", resource: "deployments", apiVersion: "apps/v1" }];
const pod: Kind = ["", "pods", "Pod", { kind: "ReplicaSet", resource: "replicasets", apiVersion: "apps/v1" }];
const encoder = new TextEncoder();
const uidOf = (n: number): string => `${n.toString(16).padStart(8, "0")}-9b1d-4f6e-8f57-0f6c2e5d1b7a`;
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const folder = mkdtempSync(join(tmpdir(), "coxswain-bench-"));
try {
  await fill();
  print({ name: "history", versions, objects, MiB: Math.round(statSync(join(folder, "history.db")).size / 2 ** 20) });
  await serve(measure);
} finally {
  rmSync(folder, { recursive: true });
}

/** As controllers and kubelets write: each object in turn, in no order, over some hours. */
async function fill(): Promise<void> {
  const clock = new ManualClock(Date.now() - versions * writeEveryMs);
  await using store = await openSqliteStore({ path: join(folder, "state.db"), clock, historyMs: 0, historyRevisions: 1_000 });
  if (!isRecordable(store)) throw new Error("the store cannot be recorded");
  const warn = (fields: object, message: string): void => print({ warning: message, ...fields });
  await using history = await openHistory({ path: join(folder, "history.db"), store, clock, log: { warn } });
  const known = new Map<number, Entry>();
  let state = 1;
  const draw = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const writeOne = async (write: number, n: number): Promise<void> => {
    const { key, value } = objectAt(n, write);
    const note = { user: users[write % users.length] ?? "", requestId: `${write}-4b2a-9c1e`, verb: write < objects ? "create" : "update" };
    const written = await store.write({ op: "put", key, value, expect: known.get(n)?.modified ?? "absent" }, note);
    if (!written.ok || written.entry === undefined) throw new Error("a write was refused");
    known.set(n, written.entry);
  };
  for (let write = 0; write < versions; ) {
    const writing = new Map<number, Promise<void>>();
    for (; writing.size < atOnce && write < versions; write++) {
      const n = write < objects ? write : draw(objects);
      await writing.get(n);
      clock.advance(writeEveryMs);
      writing.set(n, writeOne(write, n));
    }
    await Promise.all(writing.values());
    await history.status();
  }
}

function objectAt(n: number, write: number): { readonly key: string; readonly value: Uint8Array } {
  const namespace = `team-${n % 50}`;
  const [group, resource, kind, above] = n % 10 === 0 ? deployment : n % 10 === 1 ? replicaSet : pod;
  const name = `${resource}-${n}`;
  const owner = above === undefined ? undefined : n - (n % 10) + (above.kind === "ReplicaSet" ? 1 : 0);
  const ownerReferences =
    owner === undefined
      ? []
      : [{ ...above, name: `${above?.resource}-${owner}`, uid: uidOf(owner), controller: true, resource: undefined }];
  const object = {
    ...{ kind, apiVersion: group === "" ? "v1" : `${group}/v1` },
    metadata: {
      name,
      namespace,
      uid: uidOf(n),
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: `web-${n % 100}` },
      ownerReferences,
    },
    spec: {
      replicas: 8,
      selector: { matchLabels: { app: `web-${n % 100}` } },
      nodeName: `node-${n % 100}`,
      containers: [{ name: "web", image: `web:${write >> 12}` }],
    },
    status: { observedGeneration: write >> 3, phase: write < objects ? "Pending" : "Running", podIP: `10.0.${n >> 8}.${n & 255}` },
  };
  return {
    key: `/registry/${group === "" ? "" : `${group}/`}${resource}/${namespace}/${name}`,
    value: encoder.encode(JSON.stringify(object)),
  };
}

/** The command, as it is started. */
async function serve(then: (link: string) => Promise<void>): Promise<void> {
  const options = [
    "--apiserver-only",
    "--port=0",
    `--data-dir=${folder}`,
    `--kubeconfig=${join(folder, "kubeconfig")}`,
    "--log-level=error",
  ];
  const child = spawn(process.execPath, [mainFile, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      if (text.includes("Ctrl-C")) break;
    }
    await then(/the link opens it once\): (\S+)/.exec(text)?.[1] ?? "");
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

async function measure(link: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } });
    const begun = performance.now();
    await page.goto(link);
    await page.locator(".name").first().waitFor();
    print({ name: "first picture", ms: Math.round(performance.now() - begun) });
    await page.locator("#status:empty").waitFor({ state: "attached", timeout: 240_000 });
    print({ name: "all loaded", ms: Math.round(performance.now() - begun) });
    // All of the time, with what is below each, so that there is as much to draw as there can be.
    await page.click('[data-span="0"]');
    await page.click("#live");
    print({ name: "scrolling", ...(await framesOf(browser, page)) });
  } finally {
    await browser.close();
  }
}

/** Scrolls by some rows in each frame. Times between frames are those at which Chromium drew them. */
async function framesOf(browser: Browser, page: Page): Promise<object> {
  await page.waitForTimeout(1_000);
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline.frame"] });
  const height = await page.evaluate<number>(`(async () => {
    const scroller = document.getElementById("scroller");
    for (let i = 0; i < ${frames}; i++) {
      scroller.scrollTop += ${rowsEachFrame * rowHeight};
      await new Promise(requestAnimationFrame);
    }
    return scroller.scrollHeight;
  })()`);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const times = (name: string, value: (event: TraceEvent) => number): number[] =>
    trace.traceEvents.filter((event) => event.name === name).map(value);
  const drawn = times("DrawFrame", ({ ts }) => ts / 1000).sort((a, b) => a - b);
  const between = drawn.slice(1).map((at, i) => at - (drawn[i] ?? 0));
  const scripts = times("FireAnimationFrame", ({ dur = 0 }) => dur / 1000);
  return {
    rows: Math.round(height / rowHeight),
    drawn: drawn.length,
    dropped: times("DroppedFrame", () => 0).length,
    ...{ betweenMs: quantiles(between), scriptMs: quantiles(scripts) },
  };
}

interface TraceEvent {
  readonly name: string;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
}

function quantiles(of: readonly number[]): Readonly<Record<string, number>> {
  const sorted = [...of].sort((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
  return { median: at(0.5), p95: at(0.95), max: at(1) };
}
