/** Resources of one's own, over real servers. */
import assert from "node:assert/strict";
import { conflictChanges, isBadRequest, isConflict, isInvalid, isNoMatch, isUnsupportedMediaType } from "@coxswain/client";
import { type Shelf, withShelves } from "./custom-resource.ts";
import { onEachServer } from "./each-server.ts";

const shelf = (name: string, spec: Shelf["spec"]): Shelf => ({ metadata: { name }, spec });

onEachServer("a kind of one's own: found, checked, patched, scaled, applied and watched", async ({ client, namespace, another }) => {
  const group = `${namespace}.example.com`;
  await assert.rejects(client.refOf({ apiVersion: `${group}/v1`, kind: "Shelf" }), isNoMatch);
  await withShelves(client, group, async (ref) => {
    const shelves = client.resource(ref, namespace);
    const created = await shelves.create(shelf("novels", { copies: 1, books: [{ title: "A", pages: 7 }] }));
    assert.deepEqual([created.kind, created.apiVersion, created.metadata?.generation], ["Shelf", `${group}/v1`, 1]);
    assert.deepEqual(await client.refOf({ apiVersion: `${group}/v1`, kind: "Shelf" }), ref);

    await assert.rejects(shelves.create(shelf("bad", { copies: -1 })), isInvalid);
    const odd = { ...shelf("odd", { copies: 1 }), colour: "red" };
    await assert.rejects(shelves.create(odd, { fieldValidation: "Strict" }), isBadRequest);
    assert.ok(!("colour" in (await shelves.create(odd, { fieldValidation: "Ignore", dryRun: true }))));

    await shelves.patch("novels", { type: "merge", patch: { spec: { copies: 2 } } });
    await shelves.patch("novels", { type: "json", patch: [{ op: "add", path: "/spec/books/-", value: { title: "B" } }] });
    await assert.rejects(shelves.patch("novels", { type: "strategic", patch: { spec: { copies: 3 } } }), isUnsupportedMediaType);
    await shelves.scale("novels", 5);
    const now = await shelves.updateStatus({ ...(await shelves.get("novels")), spec: { copies: 0 }, status: { copies: 4 } });
    assert.deepEqual([now.spec.copies, now.status?.copies, now.spec.books?.map(({ title }) => title)], [5, 4, ["A", "B"]]);
    await assert.rejects(shelves.update({ ...created, spec: { copies: 9 } }), isConflict);

    const theirs = (await another({ fieldManager: "bob" })).resource(ref, namespace);
    await shelves.apply(shelf("poems", { copies: 1, books: [{ title: "A", pages: 1 }] }), { fieldManager: "ann" });
    const applied = await theirs.apply({ ...shelf("poems", { copies: 1, books: [{ title: "B" }] }) }, { fieldManager: "bob" });
    assert.deepEqual(applied.spec.books?.map(({ title }) => title).sort(), ["A", "B"]);
    await assert.rejects(theirs.apply(shelf("poems", { copies: 2 }), { fieldManager: "bob" }), (error) => {
      assert.deepEqual(
        conflictChanges(error).map(({ reason, field }) => [reason, field]),
        [["FieldManagerConflict", ".spec.copies"]],
      );
      return true;
    });

    const events: string[] = [];
    for await (const event of shelves.watch({ resourceVersion: now.metadata?.resourceVersion ?? "" })) {
      if (event.type !== "LISTED" && event.type !== "BOOKMARK") events.push(`${event.type} ${event.object.metadata?.name}`);
      if (events.length === 1) await shelves.delete("novels");
      if (events.at(-1) === "DELETED novels") break;
    }
    assert.deepEqual(events, ["ADDED poems", "MODIFIED poems", "DELETED novels"]);
  });
});
