/** Puts the requests of a scenario to a server, one after the other, in a namespace of their own. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Json, parseJson, valueAt } from "./json.ts";
import { Normaliser } from "./normalise.ts";
import type { Answer, Recording, Scenario, Step } from "./scenario.ts";
import { askedPath, startScriptedWebhook } from "./scripted-webhook.ts";
import type { RawAnswer, Server } from "./server.ts";

export interface ReplayOptions {
  readonly concurrent: boolean;
}

const untilAttempts = 100;
const untilPauseMs = 100;

/**
 * `concurrent` sends reads that follow each other at once, for watches wait. Kubernetes has to be asked one by one: a watch
 * whose cache is behind other writes for as long as the watch lasts answers nothing.
 */
export async function replay(server: Server, scenario: Scenario, { concurrent }: ReplayOptions): Promise<Recording> {
  const namespace = `golden-${randomBytes(4).toString("hex").slice(0, 6)}`;
  await makeNamespace(server, namespace);
  await using webhook = scenario.webhook === undefined ? undefined : await startScriptedWebhook(scenario.webhook);
  const normaliser = new Normaliser(namespace, webhook?.url);
  const earlier = new Map<string, Json | undefined>();
  if (webhook !== undefined) earlier.set("webhook", { url: webhook.url, caBundle: webhook.caBundle });
  const answers: Answer[] = [];
  for (const batch of concurrent ? batches(scenario.steps) : scenario.steps.map((step) => [step])) {
    const steps = batch.map((step) => fill(step, namespace, earlier));
    const raws = await Promise.all(steps.map((step) => (step.path === askedPath ? (webhook?.takeAsked() ?? noAnswer) : ask(server, step))));
    for (const [i, step] of steps.entries()) {
      const raw = raws[i] ?? noAnswer;
      earlier.set(step.name, parseJson(raw.text));
      answers.push(normaliser.answer(step, raw));
    }
  }
  await server.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
  return { name: scenario.name, answers };
}

/** Reads that follow each other stand together, but for those that refer to each other's answers. */
export function batches(steps: readonly Step[]): Step[][] {
  const made: Step[][] = [];
  for (const step of steps) {
    const batch = made.at(-1);
    const names = batch?.map(({ name }) => name) ?? [];
    if (batch === undefined || !isPlainRead(step) || !batch.every(isPlainRead) || refersTo(step, names)) made.push([step]);
    else batch.push(step);
  }
  return made;
}

const isPlainRead = ({ method = "GET", path, waitMs, until }: Step): boolean =>
  method === "GET" && path !== askedPath && waitMs === undefined && until === undefined;

const refersTo = (step: Step, names: readonly string[]): boolean => {
  const text = JSON.stringify(step);
  return names.some((name) => text.includes(`\${${name}.`));
};

const noAnswer: RawAnswer = { status: 0, type: "", warnings: [], text: "" };

async function makeNamespace(server: Server, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const { status, text } = await server.send({ method: "POST", path: "/api/v1/namespaces", body });
  if (status !== 201) throw new Error(`failed to create the namespace ${name}: ${status} ${text.slice(0, 500)}`);
}

async function ask(server: Server, step: Step): Promise<RawAnswer> {
  if (step.waitMs !== undefined) await sleep(step.waitMs);
  for (let attempt = 1; ; attempt++) {
    const raw = await server.send(step);
    if (isAwaited(step, raw) || attempt === untilAttempts) return raw;
    await sleep(untilPauseMs);
  }
}

function isAwaited({ until }: Step, { status, text }: RawAnswer): boolean {
  if (until === undefined) return true;
  return "status" in until ? status === until.status : valueAt(parseJson(text), until.path) === until.equals;
}

/** With the namespace and the values of earlier answers in place of `${…}`. */
function fill(step: Step, namespace: string, earlier: ReadonlyMap<string, Json | undefined>): Step {
  const filled = JSON.stringify(step).replace(/\$\{([^}]+)\}/g, (_, expression: string) => {
    if (expression === "ns") return namespace;
    const [name = "", ...path] = expression.split(".");
    const value = valueAt(earlier.get(name), path.join("."));
    return value === undefined || value === null ? `MISSING(${expression})` : String(value);
  });
  return JSON.parse(filled);
}
