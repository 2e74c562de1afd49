/**
 * Custom resources in the durable command: what a thousand definitions cost, and what objects of one cost beside ConfigMaps.
 * Prints one JSON line per measurement. The first argument is how many objects (3,000 unless given), the second how many
 * definitions (1,000).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandUnderTest, startCommand } from "../tests/conformance/command-under-test.ts";
import { configMap, definition, instance } from "./custom-resource-cases.ts";
import { type Connection, connectTo, expectStatus, load, median, residentMegabytes, type Send } from "./load.ts";

const [objects = 3_000, definitions = 1_000] = process.argv.slice(2).map(Number);
const clients = 16;
const groupVersion = "/apis/bench.example.com/v1";
const data = mkdtempSync(join(tmpdir(), "coxswain-bench-"));
try {
  await running(speed);
  await running(scale);
  await restart();
} finally {
  rmSync(data, { recursive: true });
}

function print(name: string, figures: object): void {
  process.stdout.write(`${JSON.stringify({ name, ...figures })}\n`);
}

async function running(measure: (command: CommandUnderTest, connection: Connection) => Promise<void>): Promise<void> {
  const command = await startCommand("--data-dir", data, "--log-level", "warn");
  try {
    using connection = await connectTo(command);
    await measure(command, connection);
  } finally {
    await command.stop();
  }
}

/** The same objects by number, in three kinds; the first round of each only warms up. */
async function speed({ process: { pid } }: CommandUnderTest, { send }: Connection): Promise<void> {
  await define(send, "seats");
  await define(send, "ruledseats", { rules: true });
  const kinds = [
    { kind: "ConfigMap", path: "/api/v1/namespaces/default/configmaps", make: configMap },
    { kind: "Seats", path: `${groupVersion}/namespaces/default/seats`, make: (name: string) => instance("Seats", name) },
    { kind: "Ruledseats", path: `${groupVersion}/namespaces/default/ruledseats`, make: (name: string) => instance("Ruledseats", name) },
  ];
  for (const [round, count] of [Math.ceil(objects / 3), objects].entries()) {
    for (const { kind, path, make } of kinds) {
      const name = (i: number) => `round${round}-${i}`;
      const printOnce = (what: string, figures: object) => round === 1 && print(`${what} ${kind}`, figures);
      printOnce("create", await load(pid, count, clients, async (i) => expectStatus(await send("POST", path, make(name(i))), 201)));
      printOnce("get+update", await load(pid, count, clients, (i) => update(send, `${path}/${name(i)}`)));
      printOnce("list", {
        ...(await load(pid, 30, 1, async () => expectStatus(await send("GET", path), 200))),
        objects: round === 1 ? count + Math.ceil(objects / 3) : count,
      });
    }
  }
}

async function update(send: Send, path: string): Promise<void> {
  const { text } = await send("GET", path);
  expectStatus(await send("PUT", path, text.replace("abcdef", "ABCDEF")), 200);
}

/** Of definitions, from none to all of them. */
async function scale({ process: { pid } }: CommandUnderTest, { send }: Connection): Promise<void> {
  const before = residentMegabytes(pid);
  const first: number[] = [];
  for (let i = 0; i < 20; i++) first.push(await define(send, `first${i}`));
  print("creating one of the first definitions", { medianMs: median(first.slice(5)) });
  const start = performance.now();
  const cost = await load(
    pid,
    definitions,
    clients,
    async (i) => void (await define(send, `kinds${i}`, { group: `g${i % 50}.example.com` })),
  );
  print(`creating ${definitions} definitions until all are served`, { seconds: (performance.now() - start) / 1000, ...cost });
  print(`memory with ${definitions} definitions`, { before, megabytes: residentMegabytes(pid) - before });
  const last: number[] = [];
  for (let i = 0; i < 20; i++) last.push(await define(send, `last${i}`));
  print("creating one of the last definitions", { medianMs: median(last) });
  for (const path of ["/apis", "/openapi/v3", "/openapi/v3/apis/g1.example.com/v1", "/openapi/v2"]) {
    const taken: number[] = [];
    for (let i = 0; i < 3; i++) {
      await define(send, `more${i}${path.replace(/\W/g, "")}`, { group: "g1.example.com" });
      const asked = performance.now();
      expectStatus(await send("GET", path), 200);
      taken.push(performance.now() - asked);
    }
    print(`${path} after one more definition`, { firstMs: taken[0], medianMs: median(taken) });
  }
}

/** Milliseconds until the kind is served. */
async function define(send: Send, plural: string, options?: Parameters<typeof definition>[1]): Promise<number> {
  const start = performance.now();
  expectStatus(await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(plural, options)), 201);
  const path = `/apis/${options?.group ?? "bench.example.com"}/v1/${plural}`;
  while ((await send("GET", path)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now() - start;
}

async function restart(): Promise<void> {
  const start = performance.now();
  await running(async ({ process: { pid } }, { send }) => {
    expectStatus(await send("GET", `${groupVersion}/seats?limit=1`), 200);
    print("restart to the first answer", { ms: performance.now() - start, megabytes: residentMegabytes(pid) });
  });
}
