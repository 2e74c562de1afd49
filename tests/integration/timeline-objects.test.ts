/** `GET /coxswain/v1/timeline?after=…&objects=true`: what each write made of its object, for who may list it. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Authenticator } from "@coxswain/apiserver";
import type { TimelinePage } from "@coxswain/machinery";
import { type Answer, type Api, type Json, startApi } from "./api.ts";

/** `Bearer NAME` is that user; `admin` is of `system:masters`. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "") || "admin";
  const groups = [...(name === "admin" ? ["system:masters"] : []), "system:authenticated"];
  return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};

const maps = "/api/v1/namespaces/default/configmaps";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const map = (name: string, value: unknown): Json => ({ metadata: { name }, data: { value } });

async function sent(answer: Promise<Answer>): Promise<Json> {
  const { status, text, body } = await answer;
  assert.ok(status < 300, text);
  return body;
}

const timeline = (api: Api, query: string, user = "admin"): Promise<TimelinePage> =>
  sent(api.send("GET", `/coxswain/v1/timeline?${query}`, { headers: { authorization: `Bearer ${user}` } }));

/** Of each change: name, and what it made. */
const shown = ({ objects, changes, versions = [] }: TimelinePage): readonly string[] =>
  changes.map(([, , object = -1], i) => {
    const made = versions[i]?.object as
      | { readonly data?: { readonly value?: string }; readonly metadata?: { readonly resourceVersion?: string } }
      | undefined;
    assert.ok(made === undefined || made.metadata?.resourceVersion === String(changes[i]?.[0]));
    return `${objects[object]?.name}: ${made === undefined ? "gone" : made.data?.value?.slice(0, 10)}`;
  });

suite("the objects of a timeline", () => {
  test("are as each write made them, with its request; deletions have none", async () => {
    const api = await startApi({ authenticators: [authenticator] });
    const after = `after=${api.store.revision}&objects=true`;
    const { metadata } = await sent(api.send("POST", maps, { body: map("a", "one") }));
    await sent(api.send("POST", maps, { body: map("b", "other") }));
    await sent(api.send("PATCH", `${maps}/a`, { body: { data: { value: "two" } }, type: "application/merge-patch+json" }));
    await sent(api.send("DELETE", `${maps}/a`));
    const page = await timeline(api, after);
    assert.deepEqual(shown(page), ["a: one", "b: other", "a: two", "a: gone"]);
    assert.equal(page.versions?.[0]?.object?.metadata?.uid, metadata.uid);
    assert.match(page.versions?.[3]?.requestID ?? "", /^[\w-]{36}$/);
    assert.deepEqual(
      shown(await timeline(api, `${after}&resource=configmaps&limit=2`)),
      ["a: one"],
      "what may not be whole comes with the next page",
    );
    assert.deepEqual(shown(await timeline(api, `${after}&resource=secrets`)), []);
    assert.equal((await api.send("GET", `/coxswain/v1/timeline?${after}&resource=wishes`)).status, 400);
    assert.equal((await timeline(api, `after=${api.store.revision}`)).versions, undefined);
  });

  test("come in pages that end before they are too large", async () => {
    const api = await startApi({ authenticators: [authenticator] });
    const from = api.store.revision;
    const large = "x".repeat(900_000);
    for (let n = 0; n < 12; n++) await sent(api.send("POST", maps, { body: map(`large-${n}`, large) }));
    const names: string[] = [];
    let pages = 0;
    for (let after: string | undefined = String(from); after !== undefined; pages++) {
      const page: TimelinePage = await timeline(api, `after=${after}&objects=true`);
      names.push(...shown(page));
      after = page.metadata.continue;
    }
    assert.equal(pages, 2);
    assert.deepEqual(
      names,
      Array.from({ length: 12 }, (_, n) => `large-${n}: xxxxxxxxxx`),
    );
  });

  test("are for who may list them, by the rights of now", async () => {
    const api = await startApi({ authenticators: [authenticator] });
    const after = `after=${api.store.revision}&objects=true`;
    await sent(api.send("POST", maps, { body: map("a", "one") }));
    await sent(
      api.send("POST", "/api/v1/namespaces/default/secrets", { body: { metadata: { name: "s" }, stringData: { a: "hidden-value" } } }),
    );
    assert.equal((await api.send("GET", `/coxswain/v1/timeline?${after}`, { headers: { authorization: "Bearer jane" } })).status, 403);
    const rules = [
      { verbs: ["get"], nonResourceURLs: ["/coxswain/v1/timeline"] },
      { verbs: ["list"], apiGroups: [""], resources: ["configmaps"] },
    ];
    await sent(api.send("POST", `${rbac}/clusterroles`, { body: { metadata: { name: "r" }, rules } }));
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }];
    await sent(api.send("POST", `${rbac}/clusterrolebindings`, { body: { metadata: { name: "b" }, roleRef, subjects } }));
    const page = await timeline(api, after, "jane");
    assert.deepEqual(shown(page), ["a: one"]);
    assert.ok(!JSON.stringify(page).includes(Buffer.from("hidden-value").toString("base64")));
    assert.deepEqual(shown(await timeline(api, `${after}&resource=secrets`, "jane")), []);
  });
});
