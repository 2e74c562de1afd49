/** Creates a project's samples, and says what became of each. */
import assert from "node:assert/strict";
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import type { Connection, Json, Reply } from "./connection.ts";
import type { Answer, Definition, Project, Sample } from "./projects.ts";

export type Outcome =
  | { readonly kind: "accepted"; readonly file: string }
  | { readonly kind: "refused"; readonly file: string; readonly why: readonly string[] }
  /** It could only be stored with the help of the project's conversion webhook. */
  | { readonly kind: "unconverted"; readonly file: string };

/** Namespaced ones go into the namespace. Outcomes are compared with Kubernetes' own where those are known. */
export async function createSamples(api: Connection, { definitions, samples, answers }: Project, namespace: string): Promise<Outcome[]> {
  const kinds = new Map(definitions.map(({ object }) => [`${object.spec.group}/${object.spec.names.kind}`, object]));
  const outcomes: Outcome[] = [];
  const surprises: string[] = [];
  for (const sample of samples) {
    const { apiVersion = "", kind } = sample.object;
    const [group, version = ""] = apiVersion.split("/");
    const definition = kinds.get(`${group}/${kind}`);
    const answer = answers?.[sample.file];
    try {
      const outcome = await createSample(api, sample, { definition, version, namespace, answer });
      if (outcome === undefined) continue;
      outcomes.push(outcome);
      const expected = answer === undefined ? outcome.kind : "refused" in answer ? "refused" : "accepted";
      if (outcome.kind !== "unconverted" && outcome.kind !== expected) surprises.push(`${show(outcome)}, not ${expected}`);
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error;
      surprises.push(`${sample.path}: ${error.message}`);
    }
  }
  assert.equal(surprises.length, 0, surprises.join("\n\n"));
  return outcomes;
}

export const show = (outcome: Outcome): string =>
  `${outcome.file} is ${outcome.kind}${outcome.kind === "refused" ? `: ${outcome.why.join("; ").slice(0, 300)}` : ""}`;

interface Context {
  readonly definition: Definition["object"] | undefined;
  readonly version: string;
  readonly namespace: string;
  readonly answer: Answer | undefined;
}

/** Undefined when it is of a kind of another project. */
async function createSample(api: Connection, sample: Sample, context: Context): Promise<Outcome | undefined> {
  const { definition, version, namespace, answer } = context;
  const { file, problems } = sample;
  if (problems.length > 0) return { kind: "refused", file, why: problems };
  if (definition === undefined) return undefined;
  const { group, names, scope, versions, conversion } = definition.spec;
  const needsWebhook = conversion?.strategy === "Webhook" && versions.find(({ storage }) => storage)?.name !== version;
  if (needsWebhook) return { kind: "unconverted", file };
  const body = placed(sample.object, scope === "Namespaced" ? namespace : undefined);
  const collection = `/apis/${group}/${version}/${scope === "Namespaced" ? `namespaces/${namespace}/` : ""}${names.plural}`;
  const path = `${collection}/${body.metadata?.name}`;
  await api.send("DELETE", path); // An earlier sample may have the same name.
  const created = await api.send("POST", `${collection}?fieldValidation=Strict`, { body });
  if (created.status !== 201) return { kind: "refused", file, why: refused(created, answer, sample.path) };
  if (answer !== undefined && "object" in answer) assertBecame(created.body, answer.object, sample.path);
  await assertStays(api, { path, body, about: sample.path }, created.body);
  return { kind: "accepted", file };
}

/** Without what only the project's own controllers could take away again; generated names are the same in every run. */
function placed(object: KubeObject, namespace: string | undefined): KubeObject {
  const { namespace: _, finalizers: __, uid: ___, resourceVersion: ____, ...metadata } = object.metadata ?? {};
  const name = metadata.name ?? `${metadata.generateName}abcde`;
  return { ...object, metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) } };
}

function refused({ status, body }: Reply, answer: Answer | undefined, path: string): readonly string[] {
  const why: string[] = (body.details?.causes ?? []).map(({ reason, field, message }: Json) => `${reason}|${field}|${message}`).sort();
  if (status !== 422) return [body.message];
  if (answer !== undefined && "refused" in answer) assert.deepEqual(why, answer.refused, path);
  return why;
}

/** Pruned and defaulted as Kubernetes does it. */
function assertBecame({ metadata: _, ...actual }: Json, { metadata: __, ...expected }: KubeObject, path: string): void {
  assert.deepEqual(actual, expected, path);
}

/** What was answered is what is read; applying the sample to itself changes only who manages it, and then nothing. */
async function assertStays(
  api: Connection,
  { path, body, about }: { readonly path: string; readonly body: KubeObject; readonly about: string },
  created: Json,
): Promise<void> {
  const read = await api.send("GET", path);
  assert.deepEqual(read.body, created, `${about}: read back`);
  const patch = { type: "application/apply-patch+yaml", body };
  const target = `${path}?fieldManager=conformance&fieldValidation=Strict&force=true`;
  const applied = await api.send("PATCH", target, patch);
  assert.equal(applied.status, 200, `${about}: applied: ${JSON.stringify(applied.body)}`);
  assert.ok(
    deepEqual(bare(applied.body), bare(created)),
    `${about}: applied it became\n${JSON.stringify(bare(applied.body))}\nafter\n${JSON.stringify(bare(created))}`,
  );
  const again = await api.send("PATCH", target, patch);
  assert.deepEqual(again.body, applied.body, `${about}: applied again`);
}

function bare({ metadata, ...rest }: Json): Json {
  const { managedFields: _, resourceVersion: __, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
