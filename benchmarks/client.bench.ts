/**
 * What the client costs whoever uses it, over HTTP/2 from the command: its requests beside bare ones, fifty writers of one
 * object, and a controller over 10,000 ConfigMaps of 1 KB in a process that does nothing else. Prints one JSON line per
 * measurement; the argument is how many objects (10,000 unless given).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type api, type Client, configMaps, controller, done, retryOnConflict, startControllers } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { type CommandUnderTest, startCommand } from "../tests/conformance/command-under-test.ts";
import { configMap } from "./custom-resource-cases.ts";
import { connectTo, expectStatus, load, residentMegabytes } from "./load.ts";

const [first = "10000", kubeconfig = "", objects = "0"] = process.argv.slice(2);
if (first === "control") await control(kubeconfig, Number(objects));
else await measureAll(Number(first));

async function measureAll(objects: number): Promise<void> {
  const command = await startCommand("--ephemeral", "--log-level", "warn");
  try {
    await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
    await requests(command, client, objects);
    await contention(client);
    const options = [import.meta.filename, "control", command.kubeconfig, String(objects)];
    await once(spawn(process.execPath, ["--expose-gc", ...options], { stdio: ["ignore", "inherit", "inherit"] }), "close");
  } finally {
    await command.stop();
  }
}

function mapNamed(i: number): api.coreV1.ConfigMap {
  return configMap(`object-${i}`) as api.coreV1.ConfigMap;
}

function print(name: string, figures: object): void {
  process.stdout.write(`${JSON.stringify({ name, ...figures })}\n`);
}

/** Sixteen at a time. `cpuMicros` is what this process uses for each, what it is compared with included. */
async function requests(command: CommandUnderTest, client: Client, objects: number): Promise<void> {
  const maps = client.resource(configMaps, "default");
  const path = "/api/v1/namespaces/default/configmaps";
  using bare = await connectTo(command);
  const measure = async (name: string, run: (i: number) => Promise<unknown>): Promise<void> =>
    print(name, { requests: objects, ...(await load(process.pid, objects, 16, async (i) => void (await run(i)))) });
  await measure("create", (i) => maps.create(mapNamed(i)));
  await measure("get", (i) => maps.get(`object-${i}`));
  await measure("get, bare HTTP/2", async (i) => {
    const answer = await bare.send("GET", `${path}/object-${i}`);
    expectStatus(answer, 200);
    JSON.parse(answer.text);
  });
  await measure("patch", (i) => maps.patch(`object-${i}`, { type: "merge", patch: { metadata: { labels: { round: "1" } } } }));
  await measure("read, change and write", (i) =>
    maps.modify(`object-${i}`, (draft) => void Object.assign(draft, { data: { n: String(i) } })),
  );
  await measure("put back", (i) => maps.patch(`object-${i}`, { type: "merge", patch: mapNamed(i) }));
}

async function contention(client: Client): Promise<void> {
  const maps = client.resource(configMaps, "default");
  await maps.create({ metadata: { name: "counter" }, data: { n: "0" } });
  let conflicts = 0;
  const addOne = async (attempt: number): Promise<void> => {
    if (attempt > 1) conflicts++;
    const read = await maps.get("counter");
    await maps.update({ ...read, data: { n: String(Number(read.data?.n) + 1) } });
  };
  const startedAt = performance.now();
  const backoff = { attempts: 10_000, baseDelayMs: 5, factor: 2, jitter: 1, capMs: 250 };
  const adder = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) await retryOnConflict(addOne, backoff);
  };
  await Promise.all(Array.from({ length: 50 }, adder));
  const ms = Math.round(performance.now() - startedAt);
  const { data } = await maps.get("counter");
  print("fifty writers of one object", { increments: Number(data?.n), conflicts, ms });
}

/** All that is there, once, by a controller that finds nothing to do. */
async function control(path: string, objects: number): Promise<void> {
  await using client = await clientFromKubeconfig({ paths: [path] });
  await client.resource(configMaps, "default").get("object-0");
  globalThis.gc?.();
  const before = residentMegabytes(process.pid);
  const finished = Promise.withResolvers<void>();
  let [reconciled, firstAt] = [0, 0];
  const noOp = controller({
    name: "no-op",
    for: configMaps,
    namespace: "default",
    reconcile: async (_, { object }) => {
      firstAt ||= performance.now();
      if (object?.metadata?.name?.startsWith("object-") === true && ++reconciled === objects) finished.resolve();
      return done;
    },
  });
  const startedAt = performance.now();
  await using running = startControllers([noOp], { client });
  await running.ready;
  const readyMs = Math.round(performance.now() - startedAt);
  await finished.promise;
  const perSecond = Math.round(objects / ((performance.now() - firstAt) / 1000));
  const residentMb = residentMegabytes(process.pid) - before;
  globalThis.gc?.();
  print("a controller over HTTP/2", {
    objects,
    readyMs,
    perSecond,
    residentMb,
    residentMbAfterGc: residentMegabytes(process.pid) - before,
  });
}
