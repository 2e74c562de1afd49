/** `coxswain undo`: an object as it was before its last change, or at a moment. */
import { createInterface } from "node:readline/promises";
import type { KubeObject } from "@coxswain/client";
import { parseUndoOptions } from "../options/past-options.ts";
import { shownName } from "../past/find-resource.ts";
import { objectDiff } from "../past/object-diff.ts";
import { choosePastServer, type PastObjectRef, PastServer, sentenceOf } from "../past/past-server.ts";
import { lastChangeIn, planUndo, type UndoPlan } from "../past/plan-undo.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";

const fieldManager = "coxswain-undo";

export async function runUndo(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseUndoOptions(args, output));
  if (options === undefined) return;
  await using server = new PastServer(await choosePastServer(options, process.env), fieldManager);
  const ref = await server.find(options);
  const name = shownName(ref.resource, ref.name);
  const current = await server.objectAt(ref, undefined);
  const at = options.to ?? (await beforeLastChange(server, ref));
  const then = await server.objectAt(ref, at);
  if (then === undefined) throw new StartError(`there was no ${name} at ${at}; kubectl delete removes the one that is there now`);
  const plan = planUndo(current, then);
  if (plan.kind === "nothing") return void process.stdout.write(`${name} is as it was at ${at}\n`);
  process.stdout.write(await objectDiff({ title: `${name} now`, object: current }, { title: `${name} at ${at}`, object: plan.object }));
  if (options.yes !== true && !(await isConfirmed(`Bring ${name} back to this?`))) {
    process.stderr.write(`coxswain: nothing was sent${process.stdin.isTTY ? "" : "; --yes sends it"}\n`);
    process.exitCode = 1;
    return;
  }
  await send(server, ref, plan);
  process.stdout.write(`${name} brought back to ${at}\n`);
}

/** So many versions are looked through for the last one that is to be undone. */
const maxVersions = 500;

/** The resourceVersion of the version before the last change. @throws StartError where that is not known, or there was none */
async function beforeLastChange(server: PastServer, ref: PastObjectRef): Promise<string> {
  const { items, oldest } = await server.history(ref, { limit: maxVersions });
  const name = shownName(ref.resource, ref.name);
  const last = lastChangeIn(items);
  const change = last === undefined ? undefined : items[last];
  if (change?.operation === "create")
    throw new StartError(`${name} was made at ${change.resourceVersion} and has not changed since; kubectl delete removes it`);
  const before = last === undefined ? undefined : items[last + 1];
  if (before === undefined)
    throw new StartError(
      `what ${name} was before its last change is not known: the history begins at resourceVersion ${items.at(-1)?.resourceVersion ?? oldest.resourceVersion}`,
    );
  return before.resourceVersion;
}

async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** What was written since it was shown makes it fail: the patch names the version. @throws StartError */
async function send({ client }: PastServer, ref: PastObjectRef, plan: Exclude<UndoPlan, { kind: "nothing" }>): Promise<void> {
  const objects = client.resource<KubeObject>(ref.resource, ref.namespace);
  try {
    if (plan.kind === "create") await objects.create(plan.object);
    else await objects.patch(ref.name, { type: "json", patch: plan.patch });
  } catch (error) {
    throw sentenceOf(error);
  }
}
