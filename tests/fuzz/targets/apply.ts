/** Server-side apply. An input is a list of configurations in JSON, which two managers apply in turn. */
import assert from "node:assert/strict";
import { builtinTypes } from "@coxswain/api";
import { type Applied, type ApplyBy, applyObject, decodeManagedFields, encodeManagedFields, unmanaged } from "@coxswain/apply";
import { deepEqual, isObject, type KubeObject, StatusError, stringifyJson } from "@coxswain/machinery";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import type { FuzzTarget } from "../harness/target.ts";

const type = builtinTypes.byKind("", "v1", "Pod");
const head = { apiVersion: "v1", kind: "Pod" };

const grammar: Grammar = {
  steps: ["[<pod>,<pod>,<pod>]", "[<pod>,<pod>]", "[<pod>,<pod>,<pod>,<pod>]"],
  pod: ['{"metadata":{<metadata>},"spec":{<spec>}}', '{"metadata":{<metadata>}}', '{"spec":{<spec>}}', "{}"],
  metadata: [
    '"labels":{<labels>}',
    '"labels":{<labels>},"finalizers":[<texts>]',
    '"annotations":{<labels>}',
    '"ownerReferences":[{"uid":"<name>","name":"x"}]',
  ],
  labels: ['"a":"1"', '"b":"2"', "", '"a":"2","b":"3"', '"a":null', '"__proto__":"x"'],
  spec: [
    '"containers":[<containers>]',
    '"containers":[<containers>],"nodeName":"n"',
    '"tolerations":[{"key":"<name>"}]',
    '"nodeSelector":{<labels>}',
    '"volumes":[{"name":"<name>","emptyDir":{}}]',
    '"containers":null',
    '"initContainers":[<containers>]',
  ],
  containers: ["<container>", "<container>,<containers>", ""],
  container: [
    '{"name":"<name>","image":"x"}',
    '{"name":"<name>","ports":[<ports>]}',
    '{"name":"<name>","env":[{"name":"<name>","value":"1"}]}',
    '{"name":"<name>","args":[<texts>]}',
    '{"image":"y"}',
    '{"name":"<name>","resources":{"limits":{"cpu":"1"}}}',
  ],
  ports: ['{"containerPort":1}', '{"containerPort":1,"protocol":"UDP"}', '{"containerPort":2},<ports>', ""],
  name: ["a", "b", "c"],
  texts: ['"a"', '"a","b"', '"b","a"', ""],
};

export const apply: FuzzTarget = {
  name: "apply",
  modules: ["apply/src"],
  dictionary: ['"name":"a"', '"containers":', '"ports":', '"labels":', "null", "{}", "[]", '"finalizers":', ",", "1"],
  seeds: [
    '[{"spec":{"containers":[{"name":"a","image":"x"}]}},{"spec":{"containers":[{"name":"a","image":"y"},{"name":"b"}]}},{"metadata":{"labels":{"a":"b"}}}]',
  ],
  generate: (random) => textFrom(grammar, "steps", random),
  judge(input) {
    const steps = stepsOf(input);
    if (steps === undefined || type === undefined) return false;
    let live: Readonly<KubeObject> = head;
    let managed = unmanaged;
    for (const [i, step] of steps.entries()) {
      const by: ApplyBy = {
        type,
        apiVersion: "v1",
        manager: i % 2 === 0 ? "one" : "two",
        now: "2026-01-01T00:00:00Z",
        force: true,
        empty: head,
      };
      const configuration = { ...step, ...head } as Readonly<KubeObject>;
      const before = stringifyJson([live, configuration]);
      const applied: Applied | undefined = refusedOr(() => applyObject(live, configuration, managed, by));
      assert.equal(stringifyJson([live, configuration]), before, "changes its arguments");
      if (applied === undefined) return false;
      const again = applyObject(applied.object, configuration, applied.managed, by);
      assert.ok(deepEqual(bare(again.object), bare(applied.object)), "the same once more changes the object");
      const fields = encodeManagedFields(applied.managed);
      assert.ok(deepEqual(encodeManagedFields(decodeManagedFields(fields)), fields), "managed fields are read otherwise than written");
      ({ object: live, managed } = applied);
    }
    return true;
  },
};

/** Without what is empty: null stands for absence until the object is decoded, and what loses all that it holds may stay. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, bare(member)] as const);
  return Object.fromEntries(
    members.filter(([, member]) => member !== null && !(typeof member === "object" && Object.keys(member as object).length === 0)),
  );
}

/** Kubernetes answers 500 to a configuration that does not have the shape of its type. */
function refusedOr<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function stepsOf(input: string): readonly object[] | undefined {
  try {
    const steps: unknown = JSON.parse(input);
    return Array.isArray(steps) && steps.length > 0 && steps.length < 8 && steps.every(isObject) ? steps : undefined;
  } catch {
    return undefined;
  }
}
