/** Every verb on ConfigMaps of one namespace. Each scenario goes on with the objects that those before it have left. */
import { createHash } from "node:crypto";
import type { Answer, Connection } from "../load.ts";
import { expectStatus } from "../load.ts";
import type { Outcome, Scenario } from "./measure.ts";
import type { ServerBenchOptions } from "./options.ts";

export const namespace = "bench";
export const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;

const mergePatch = "application/merge-patch+json";
const strategicMergePatch = "application/strategic-merge-patch+json";
const applyPatch = "application/apply-patch+yaml";

type Sizes = Pick<ServerBenchOptions, "n" | "c" | "size">;

/** The scenarios that one word of `-only` stands for. */
export type Group = (sizes: Sizes) => readonly Scenario[];

/** By the word of `-only`, in the order in which they run; `watch`, `pods` and the check of `contend` are elsewhere. */
export const groups: Readonly<Record<string, Group>> = {
  create: ({ n, c, size }) => {
    const data = payload(size);
    return [
      {
        name: "create",
        operations: n,
        clients: c,
        run: async ({ send }, i) => outcomeOf(await send("POST", configMaps, configMap(nameOf(i), data)), 201),
      },
    ];
  },
  get: ({ n, c }) => [get({ n, c }), { ...get({ n, c }, "?resourceVersion=0"), name: "get-rv0" }],
  update: ({ n, c }) => [{ name: "get+update", operations: n, clients: c, run: ({ send }, i) => update(send, pathOf(i)) }],
  patch: ({ n, c }) => [
    {
      name: "merge-patch",
      operations: n,
      clients: c,
      run: async ({ send }, i) => outcomeOf(await send("PATCH", pathOf(i), { data: { p: String(i) } }, mergePatch), 200),
    },
    {
      name: "strategic-patch",
      operations: n,
      clients: c,
      run: async ({ send }, i) => outcomeOf(await send("PATCH", pathOf(i), { data: { s: String(i) } }, strategicMergePatch), 200),
    },
  ],
  apply: ({ n, c }) => [
    {
      name: "server-side-apply",
      operations: n,
      clients: c,
      run: async ({ send }, i) => {
        const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: nameOf(i) }, data: { a: String(i) } };
        return outcomeOf(await send("PATCH", `${pathOf(i)}?fieldManager=bench`, applied, applyPatch), 200);
      },
    },
  ],
  contend: ({ n, c }) => [{ name: "contended-increment", operations: incrementsOf(n), clients: c, run: ({ send }) => increment(send) }],
  list: () => [
    list("list-all", { operations: 20, clients: 1, query: "" }),
    list("list-all-rv0", { operations: 20, clients: 1, query: "?resourceVersion=0" }),
    list("list-all-8-clients", { operations: 40, clients: 8, query: "" }),
    { name: "list-pages-of-500", operations: 5, clients: 1, run: ({ send }) => listPages(send) },
  ],
  delete: ({ n, c }) => [
    { name: "delete", operations: n, clients: c, run: async ({ send }, i) => outcomeOf(await send("DELETE", pathOf(i)), 200) },
  ],
};

export const get = ({ n, c }: Pick<Sizes, "n" | "c">, query = ""): Scenario => ({
  name: "get",
  operations: n,
  clients: c,
  run: async ({ send }, i) => outcomeOf(await send("GET", pathOf(i) + query), 200),
});

/** The same characters each time, without a pattern that something could compress. */
export function payload(size: number): string {
  const outputLength = Math.ceil(size / 2);
  return createHash("shake256", { outputLength }).update("bench").digest("hex").slice(0, size);
}

export const configMap = (name: string, data: string, app = "bench"): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { app } },
  data: { k: data },
});

const nameOf = (i: number): string => `cm-${String(i).padStart(6, "0")}`;

const pathOf = (i: number): string => `${configMaps}/${nameOf(i)}`;

export function outcomeOf({ status, body }: Answer, expected: number): Outcome {
  if (status === expected) return { bytes: body.length };
  return { bytes: body.length, error: `${status} instead of ${expected}: ${body.toString().slice(0, 500)}` };
}

/** Reads and writes back with the resourceVersion that was read: one operation is the pair. */
async function update(send: Connection["send"], path: string): Promise<Outcome> {
  const read = await send("GET", path);
  if (read.status !== 200) return outcomeOf(read, 200);
  return outcomeOf(await send("PUT", path, read.text.replace('"k":"', '"k":"u')), 200);
}

const counter = `${configMaps}/counter`;

const incrementsOf = (n: number): number => Math.ceil(n / 10);

/** Made before the clients contend for it. */
export async function createCounter({ send }: Connection): Promise<void> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "counter" }, data: { v: "0" } };
  expectStatus(await send("POST", configMaps, object), 201);
}

/** Reads, adds one and writes, and on 409 starts over at once. */
async function increment(send: Connection["send"]): Promise<Outcome> {
  for (let conflicts = 0; ; conflicts++) {
    const read = await send("GET", counter);
    if (read.status !== 200) return { ...outcomeOf(read, 200), bytes: 0, conflicts };
    const object = JSON.parse(read.text);
    object.data.v = String(Number(object.data.v) + 1);
    const written = await send("PUT", counter, object);
    if (written.status !== 409) return { ...outcomeOf(written, 200), bytes: 0, conflicts };
  }
}

/** What the counter lacks or has too much after all increments; undefined when it is right. */
export async function lostIncrements({ send }: Connection, n: number): Promise<string | undefined> {
  const answer = await send("GET", counter);
  expectStatus(answer, 200);
  const { v } = JSON.parse(answer.text).data;
  return v === String(incrementsOf(n)) ? undefined : `LOST: the counter is ${v} instead of ${incrementsOf(n)}`;
}

interface Listing {
  readonly operations: number;
  readonly clients: number;
  readonly query: string;
}

const list = (name: string, { operations, clients, query }: Listing): Scenario => ({
  name,
  operations,
  clients,
  run: async ({ send }) => outcomeOf(await send("GET", configMaps + query), 200),
});

async function listPages(send: Connection["send"]): Promise<Outcome> {
  let bytes = 0;
  for (let token = ""; ; ) {
    const page = await send("GET", `${configMaps}?limit=500&continue=${encodeURIComponent(token)}`);
    bytes += page.body.length;
    if (page.status !== 200) return { ...outcomeOf(page, 200), bytes };
    token = JSON.parse(page.text).metadata.continue ?? "";
    if (token === "") return { bytes };
  }
}
