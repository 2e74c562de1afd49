import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { Authenticator } from "@coxswain/apiserver";
import { isRecordable, openHistory } from "@coxswain/history";
import { ManualClock } from "@coxswain/machinery";
import { storeUnderTest } from "../store-under-test.ts";
import { type Answer, type Api, type Json, startApi } from "./api.ts";

/** `Bearer NAME` is that user; `admin` is of `system:masters`. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "") || "admin";
  const groups = [...(name === "admin" ? ["system:masters"] : []), "system:authenticated"];
  return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};

type Request = readonly [method: string, target: string, body?: unknown, type?: string];

interface Started {
  readonly api: Api;
  readonly clock: ManualClock;
  readonly as: (user: string, ...request: Request) => Promise<Answer>;
  /** What the store still has is forgotten: from here on only the file knows. */
  readonly forget: () => Promise<void>;
}

/** Once with what the store has, and once with what is kept in a file when the store has forgotten all. */
function withHistory(name: string, run: (started: Started) => Promise<void>): void {
  for (const isKept of [false, true]) {
    test(`${name}, ${isKept ? "from the file" : "from the store"}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "coxswain-history-"));
      const clock = new ManualClock();
      const store = await storeUnderTest(clock);
      assert.ok(isRecordable(store));
      const log = { warn: () => undefined };
      const history = isKept ? await openHistory({ path: join(folder, "history.db"), store, clock, log }) : undefined;
      try {
        const api = await startApi({ store, clock, history, authenticators: [authenticator] });
        await run({
          api,
          clock,
          as: (user, ...[method, target, body, type = "application/json"]) =>
            api.send(method, target, { body, type, headers: { authorization: `Bearer ${user}`, "user-agent": `${user}-cli/1.0` } }),
          async forget() {
            if (history === undefined) return;
            await history.status();
            await store.compact(store.revision);
          },
        });
      } finally {
        await history?.[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true });
      }
    });
  }
}

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, data: Json) => ({ metadata: { name, labels: { of: name } }, data });
const past = (path: string, at: string, more = "") => `/coxswain/v1/past${path}?at=${encodeURIComponent(at)}${more}`;

async function ok(answer: Promise<Answer>): Promise<Json> {
  const { status, body } = await answer;
  assert.ok(status < 300, JSON.stringify(body));
  return body;
}

const rvOf = ({ metadata }: Json): string => metadata.resourceVersion;

suite("the past of a resource", () => {
  withHistory("an object and a list are what they were, by resourceVersion and by time", async ({ clock, as, forget }) => {
    const first = await ok(as("admin", "POST", maps, map("a", { v: "1" })));
    await clock.advance(60_000);
    const second = await ok(as("admin", "PUT", `${maps}/a`, map("a", { v: "2" })));
    await ok(as("admin", "POST", maps, map("b", {})));
    await clock.advance(60_000);
    await ok(as("admin", "DELETE", `${maps}/a`));
    await forget();
    const at = async (moment: string) => (await as("admin", "GET", past(`${maps}/a`, moment))).body;
    assert.deepEqual(await at(rvOf(first)), first);
    assert.deepEqual(await at(rvOf(second)), second);
    assert.equal((await at("")).reason, "NotFound");
    const minuteLater = new Date(clock.now() - 60_000).toISOString();
    assert.deepEqual((await at(minuteLater)).data, { v: "2" });
    assert.deepEqual((await at(new Date(clock.now() - 60_001).toISOString())).data, { v: "1" });
    const listed = async (moment: string, more = "") => await ok(as("admin", "GET", past(maps, moment, more)));
    const names = ({ items }: Json) => items.map(({ metadata }: Json) => metadata.name).filter((one: string) => one.length === 1);
    assert.deepEqual(names(await listed(rvOf(second))), ["a"]);
    assert.deepEqual(names(await listed(minuteLater)), ["a", "b"]);
    assert.deepEqual(names(await listed("")), ["b"]);
    assert.deepEqual(names(await listed(minuteLater, "&labelSelector=of%3Db")), ["b"]);
    const page = await listed(minuteLater, "&limit=1");
    assert.deepEqual(names(page), ["a"]);
    assert.ok(page.metadata.remainingItemCount >= 1);
    const rest = await listed(minuteLater, `&limit=10&continue=${page.metadata.continue}`);
    assert.deepEqual(names(rest), ["b"]);
    assert.equal(rest.metadata.resourceVersion, page.metadata.resourceVersion);
  });

  withHistory("a Table shows the ages of then", async ({ api, clock, as, forget }) => {
    const made = await ok(as("admin", "POST", maps, map("a", {})));
    await clock.advance(90_000);
    const changed = await ok(as("admin", "PUT", `${maps}/a`, map("a", { v: "2" })));
    await clock.advance(7_200_000);
    await forget();
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const ageAt = async (moment: string) => (await api.send("GET", past(`${maps}/a`, moment), { accept })).body.rows[0].cells[2];
    assert.equal(await ageAt(rvOf(made)), "0s");
    assert.equal(await ageAt(rvOf(changed)), "90s");
  });
});

suite("what is not read", () => {
  withHistory("what cannot be told is an error that says why", async ({ as, forget }) => {
    const made = await ok(as("admin", "POST", maps, map("a", {})));
    await forget();
    const answer = async (moment: string) => (await as("admin", "GET", past(`${maps}/a`, moment))).body;
    assert.match((await answer("0")).message, /the history begins at resourceVersion \d+/);
    assert.equal((await answer("0")).code, 410);
    assert.match((await answer(String(Number(rvOf(made)) + 1_000))).message, /Too large resource version/);
    assert.match((await answer("yesterday")).message, /at must be a resourceVersion, a time as RFC 3339 has it, or a duration like 10m/);
    for (const [method, path] of [
      ["DELETE", `${maps}/a`],
      ["POST", maps],
      ["PUT", `${maps}/a`],
      ["DELETE", maps],
    ] as const) {
      const { status, body } = await as("admin", method, past(path, ""), map("a", {}));
      assert.equal(status, 405);
      assert.equal(body.message, "the past cannot be changed: only a dry run of a write is possible here");
    }
    const { status, body } = await as("admin", "GET", past(`${maps}/a/status`, ""));
    assert.equal(status, 405);
    assert.equal(body.message, "of the past there are objects alone, and no status of them");
  });

  withHistory("a moment has a resourceVersion, whoever asks", async ({ clock, as, forget }) => {
    const first = await ok(as("admin", "POST", maps, map("a", { v: "1" })));
    const firstAt = clock.now();
    await clock.advance(600_000);
    const second = await ok(as("admin", "PUT", `${maps}/a`, map("a", { v: "2" })));
    await forget();
    const moment = async (at: string) => ok(as("jane", "GET", `/coxswain/v1/moment?at=${at}`));
    const found = await moment("5m");
    assert.equal(found.resourceVersion, rvOf(first));
    assert.equal(found.time, new Date(firstAt).toISOString());
    assert.ok(Number(found.oldest.resourceVersion) < Number(rvOf(first)));
    assert.equal((await moment("")).resourceVersion, rvOf(second));
    assert.equal((await moment("0s")).resourceVersion, rvOf(second));
    assert.equal((await as("jane", "GET", "/coxswain/v1/moment?at=0")).status, 410);
    assert.equal((await as("jane", "POST", "/coxswain/v1/moment")).status, 403);
    assert.equal((await as("admin", "POST", "/coxswain/v1/moment")).status, 405);
    for (const report of ["history", "blame"]) {
      const { status, body } = await as("admin", "GET", `/coxswain/v1/${report}${maps}/a?at=0`);
      assert.equal(status, 410);
      assert.match(body.message, /^the history begins at resourceVersion \d+, of \d{4}-/);
    }
  });
});

suite("what was, for whom and for what", () => {
  withHistory("a dry run changes what was, and nothing is stored", async ({ as, forget }) => {
    const first = await ok(as("admin", "POST", maps, map("a", { v: "1", w: "1" })));
    await ok(as("admin", "PUT", `${maps}/a`, map("a", { v: "2" })));
    await ok(as("admin", "DELETE", `${maps}/a`));
    await forget();
    const dry = (path: string, at = rvOf(first)) => past(path, at, "&dryRun=All&fieldManager=trial");
    const patched = await ok(as("admin", "PATCH", dry(`${maps}/a`), { data: { v: "3" } }, "application/merge-patch+json"));
    assert.deepEqual(patched.data, { v: "3", w: "1" });
    assert.equal(patched.metadata.uid, first.metadata.uid);
    const replaced = await ok(as("admin", "PUT", dry(`${maps}/a`), map("a", { v: "4" })));
    assert.deepEqual(replaced.data, { v: "4" });
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { x: "5" } };
    assert.deepEqual((await ok(as("admin", "PATCH", dry(`${maps}/a`), applied, "application/apply-patch+yaml"))).data, {
      v: "1",
      w: "1",
      x: "5",
    });
    assert.equal((await as("admin", "POST", dry(maps), map("a", {}))).status, 409);
    assert.equal((await ok(as("admin", "POST", dry(maps, ""), map("a", {})))).metadata.name, "a");
    assert.equal((await as("jane", "PATCH", dry(`${maps}/a`), { data: {} }, "application/merge-patch+json")).status, 403);
    assert.equal((await as("admin", "GET", `${maps}/a`)).status, 404);
    assert.equal((await as("admin", "DELETE", dry(`${maps}/a`))).status, 405);
  });

  withHistory("it is for those who may read the resource now", async ({ as, forget }) => {
    const made = await ok(as("admin", "POST", maps, map("a", {})));
    await ok(as("admin", "POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" }, data: { password: "aGlkZGVu" } }));
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await ok(
      as("admin", "POST", `${rbac}/roles`, {
        metadata: { name: "r" },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
      }),
    );
    const subjects = [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
    await ok(as("admin", "POST", `${rbac}/rolebindings`, { metadata: { name: "b" }, subjects, roleRef }));
    await forget();
    const status = async (path: string) => (await as("jane", "GET", path)).status;
    assert.equal(await status(past(`${maps}/a`, rvOf(made))), 200);
    assert.equal(await status(past(maps, rvOf(made))), 403);
    for (const report of ["past", "history", "blame"]) {
      assert.equal(await status(`/coxswain/v1/${report}${maps}/a`), 200);
      const refused = await as("jane", "GET", `/coxswain/v1/${report}/api/v1/namespaces/default/secrets/s`);
      assert.equal(refused.status, 403);
      assert.ok(!refused.text.includes("aGlkZGVu"));
    }
  });
});

suite("the versions of an object", () => {
  withHistory("each says who wrote it, how, and which fields", async ({ clock, as, forget }) => {
    const made = await ok(as("admin", "POST", maps, map("a", { x: "1", y: "1" })));
    await clock.advance(1_000);
    const patched = await ok(
      as("admin", "PATCH", `${maps}/a?fieldManager=tuner`, { data: { x: "2", z: "3" } }, "application/merge-patch+json"),
    );
    const applied = await ok(
      as(
        "admin",
        "PATCH",
        `${maps}/a?fieldManager=applier`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { w: "4" } },
        "application/apply-patch+yaml",
      ),
    );
    await ok(as("admin", "DELETE", `${maps}/a`));
    await forget();
    const { items, oldest, kind } = await ok(as("admin", "GET", `/coxswain/v1/history${maps}/a`));
    assert.equal(kind, "ObjectHistory");
    assert.ok(Number(oldest.resourceVersion) < Number(rvOf(made)));
    assert.deepEqual(
      items.map(({ operation, verb, user, manager }: Json) => [operation, verb, user, manager]),
      [
        ["delete", "delete", "admin", undefined],
        ["update", "apply", "admin", "applier"],
        ["update", "patch", "admin", "tuner"],
        ["create", "create", "admin", undefined],
      ],
    );
    assert.deepEqual(items[2].changes, [
      { kind: "added", field: ".data.z", to: "3" },
      { kind: "changed", field: ".data.x", from: "1", to: "2" },
    ]);
    assert.deepEqual(items[1].changes, [{ kind: "added", field: ".data.w", to: "4" }]);
    assert.equal(items[2].resourceVersion, rvOf(patched));
    assert.equal(items[1].resourceVersion, rvOf(applied));
    assert.equal(items[2].time, new Date(clock.now()).toISOString());
    const first = await ok(as("admin", "GET", `/coxswain/v1/history${maps}/a?limit=2`));
    const second = await ok(as("admin", "GET", `/coxswain/v1/history${maps}/a?limit=2&at=${first.metadata.continue}`));
    assert.deepEqual([...first.items, ...second.items], items);
    assert.deepEqual(second.metadata, {});
  });
});

suite("many versions, and who wrote what of them", () => {
  withHistory("many versions are gone through, a few at a time", async ({ as, forget }) => {
    const versions = [await ok(as("admin", "POST", `${maps}?fieldManager=maker`, map("a", { x: "0", y: "0" })))];
    for (let i = 1; i < 40; i++) {
      const data = i === 3 ? { x: String(i), y: "3" } : { x: String(i) };
      versions.push(await ok(as("admin", "PATCH", `${maps}/a?fieldManager=tuner`, { data }, "application/merge-patch+json")));
    }
    await forget();
    const { items, metadata } = await ok(as("admin", "GET", `/coxswain/v1/history${maps}/a?limit=500`));
    assert.deepEqual(items.map(({ resourceVersion }: Json) => resourceVersion).reverse(), versions.map(rvOf));
    assert.deepEqual(metadata, {});
    const part = await ok(as("admin", "GET", `/coxswain/v1/history${maps}/a?limit=33`));
    assert.deepEqual(part.items, items.slice(0, 33));
    assert.ok(Number(part.metadata.continue) >= Number(rvOf(versions[6])));
    const { fields } = await ok(as("admin", "GET", `/coxswain/v1/blame${maps}/a`));
    assert.deepEqual(
      fields.map(({ field, resourceVersion, manager }: Json) => [field, resourceVersion, manager]),
      [
        [".data.x", rvOf(versions[39]), "tuner"],
        [".data.y", rvOf(versions[3]), "tuner"],
        [".metadata.labels.of", rvOf(versions[0]), "maker"],
      ],
    );
  });

  withHistory("blame names for each field who wrote it last", async ({ as, forget }) => {
    await ok(as("admin", "POST", `${maps}?fieldManager=maker`, map("a", { x: "1", y: "1" })));
    await ok(as("admin", "DELETE", `${maps}/a`));
    await ok(as("admin", "POST", `${maps}?fieldManager=maker`, map("a", { x: "1", y: "1", z: "1" })));
    await ok(as("admin", "PATCH", `${maps}/a?fieldManager=tuner`, { data: { x: "2", z: null } }, "application/merge-patch+json"));
    await forget();
    const { fields } = await ok(as("admin", "GET", `/coxswain/v1/blame${maps}/a`));
    assert.deepEqual(
      fields.map(({ field, value, manager, verb, operation, orEarlier }: Json) => [field, value, manager, verb, operation, orEarlier]),
      [
        [".data.x", "2", "tuner", "patch", "update", undefined],
        [".data.y", "1", "maker", "create", "create", undefined],
        [".metadata.labels.of", "a", "maker", "create", "create", undefined],
      ],
    );
  });
});
