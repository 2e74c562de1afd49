import assert from "node:assert/strict";
import { test } from "node:test";
import { NodePortAllocator } from "./node-port-allocator.ts";
import { type Range, RangeAllocator } from "./range-allocator.ts";
import { ServiceIPAllocator } from "./service-ip-allocator.ts";

const letters: Range = { text: "a-c", size: 3, at: (index) => "abc"[index] ?? "", has: (value) => "abc".includes(value) };
/** Always the first of a range. */
const random = { next: () => 0, uuid: () => "" };

test("a value that is held or stored is not given again", () => {
  const allocator = new RangeAllocator(letters, random);
  using held = allocator.hold("a", undefined) as Disposable;
  assert.ok(held);
  allocator.store("b", "/services/x");
  assert.equal(allocator.hold("a", undefined), "already allocated");
  assert.equal(allocator.hold("b", undefined), "already allocated");
  assert.equal(allocator.free(), "c");
});

test("a value is free again once nothing holds it, unless it was stored meanwhile", () => {
  const allocator = new RangeAllocator(letters, random);
  for (const isStored of [false, true]) {
    {
      using held = allocator.hold("a", undefined) as Disposable;
      assert.ok(held);
      if (isStored) allocator.store("a", "/services/x");
    }
    assert.equal(allocator.free(), isStored ? "b" : "a");
  }
});

test("a stored Service holds its own value, also outside the range", () => {
  const allocator = new RangeAllocator(letters, random);
  allocator.store("z", "/services/x");
  assert.equal(typeof allocator.hold("z", "/services/x"), "object");
  assert.equal(allocator.hold("z", "/services/y"), "not in range");
});

test("what is released by a key that does not have it stays", () => {
  const allocator = new RangeAllocator(letters, random);
  allocator.store("a", "/services/x");
  allocator.reserve("a", "/ipaddresses/a");
  allocator.release("a", "/ipaddresses/a");
  assert.equal(allocator.free(), "b");
  allocator.release("a", "/services/x");
  assert.equal(allocator.free(), "a");
});

test("a full range has nothing free", () => {
  const allocator = new RangeAllocator(letters, random);
  for (const value of "abc") allocator.store(value, `/services/${value}`);
  assert.equal(allocator.free(), undefined);
});

const edges = [
  {
    name: "cluster IPs",
    allocator: new ServiceIPAllocator(random),
    first: "10.96.0.1",
    last: "10.111.255.254",
    outside: ["10.96.0.0", "10.112.0.1", "x"],
  },
  { name: "node ports", allocator: new NodePortAllocator(random), first: "30000", last: "32767", outside: ["29999", "32768", "x"] },
];
for (const { name, allocator, first, last, outside } of edges)
  test(`${name} go from ${first} to ${last}`, () => {
    const { range } = allocator;
    assert.deepEqual([range.at(0), range.at(range.size - 1)], [first, last]);
    for (const value of [first, last]) assert.ok(range.has(value), value);
    for (const value of outside) assert.equal(allocator.hold(value, undefined), "not in range");
  });
