import assert from "node:assert/strict";
import { test } from "node:test";
import { printPort } from "../endpoint-slices/desired-endpoints.ts";
import { printSubsetPort } from "../endpoint-slices/subsets.ts";
import { fnv128a, inGoOrder } from "./go-order.ts";

test("FNV-1a of 128 bits", () => {
  assert.equal(fnv128a(""), "6c62272e07bb014262b821756295c58d");
  assert.equal(fnv128a("a"), "d228cb696f1a8caf78912b704e4a8964");
});

const letters = [..."abcdefgh"].map((name, i) => ({ name, port: i + 1, protocol: "TCP" }));
const namesOf = (ports: readonly { readonly name?: string }[]): string => ports.map(({ name }) => name).join(" ");

test("ports stand in the order in which Kubernetes 1.36 wrote them", () => {
  assert.equal(namesOf(inGoOrder(letters, printPort)), "g e f b h c d a");
  assert.equal(namesOf(inGoOrder(letters, printSubsetPort)), "c d b a f h e g");
});
