import assert from "node:assert/strict";
import { test } from "node:test";
import { cidrContains, parseCidr } from "@coxswain/machinery";
import fc from "fast-check";
import { NodeCidrAllocator } from "./allocator.ts";
import { CidrSet, problemWithRange } from "./cidr-set.ts";

const allOf = (set: CidrSet): string[] => {
  const all: string[] = [];
  for (let range = set.allocateNext(); range !== undefined; range = set.allocateNext()) all.push(range);
  return all;
};

const tables = [
  { cidr: "10.244.0.0/22", size: 24, occupied: [], expect: ["10.244.0.0/24", "10.244.1.0/24", "10.244.2.0/24", "10.244.3.0/24"] },
  { cidr: "10.244.0.0/22", size: 24, occupied: ["10.244.1.0/24"], expect: ["10.244.0.0/24", "10.244.2.0/24", "10.244.3.0/24"] },
  { cidr: "10.244.0.0/22", size: 24, occupied: ["10.244.2.128/25"], expect: ["10.244.0.0/24", "10.244.1.0/24", "10.244.3.0/24"] },
  { cidr: "10.244.0.0/22", size: 24, occupied: ["10.244.0.0/23"], expect: ["10.244.2.0/24", "10.244.3.0/24"] },
  { cidr: "10.244.0.0/23", size: 24, occupied: ["10.0.0.0/8"], expect: [] },
  { cidr: "10.244.0.0/23", size: 24, occupied: ["10.96.0.0/12", "192.168.0.0/16"], expect: ["10.244.0.0/24", "10.244.1.0/24"] },
  { cidr: "fd00:10:244::/63", size: 64, occupied: ["10.244.0.0/16"], expect: ["fd00:10:244::/64", "fd00:10:244:1::/64"] },
  { cidr: "255.255.255.254/31", size: 32, occupied: ["255.255.255.255/32"], expect: ["255.255.255.254/32"] },
];
for (const { cidr, size, occupied, expect } of tables)
  test(`ranges of /${size} in ${cidr} beside ${occupied.join(" and ") || "nothing"}`, () => {
    const set = new CidrSet(cidr, size);
    for (const one of occupied) set.occupy(one);
    assert.deepEqual(allOf(set), expect);
  });

test("a range that was given back is taken when all others have been", () => {
  const set = new CidrSet("10.0.0.0/30", 32);
  assert.equal(set.allocateNext(), "10.0.0.0/32");
  set.release("10.0.0.0/32");
  assert.deepEqual(allOf(set), ["10.0.0.1/32", "10.0.0.2/32", "10.0.0.3/32", "10.0.0.0/32"]);
});

const refused = [
  { cidr: "10.244.0.0/16", size: 8 },
  { cidr: "10.0.0.0/8", size: 25 },
  { cidr: "10.244.0.0/16", size: 33 },
  { cidr: "fd00::/40", size: 64 },
  { cidr: "nothing", size: 24 },
];
for (const { cidr, size } of refused)
  test(`${cidr} is not cut into /${size}`, () => {
    assert.notEqual(problemWithRange(cidr, size), undefined);
    assert.throws(() => new CidrSet(cidr, size), RangeError);
  });

const names = ["a", "b", "c", "d", "e", "f"];
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("allocate" as const), node: fc.constantFrom(...names) }),
    fc.record({ do: fc.constant("release" as const), node: fc.constantFrom(...names) }),
    fc.record({ do: fc.constant("occupy" as const), node: fc.constantFrom(...names), range: fc.integer({ min: 0, max: 7 }) }),
  ),
  { maxLength: 40 },
);

test("no range is given to a node that overlaps one that another node has", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const allocator = new NodeCidrAllocator({ clusterCidrs: ["10.0.0.0/22"], serviceCidrs: ["10.0.3.0/24"] });
      const model = new Map<string, readonly string[]>();
      for (const step of all) {
        if (step.do === "release") {
          allocator.release(step.node);
          model.delete(step.node);
        } else if (step.do === "occupy") {
          const range = `10.0.${step.range >> 1}.${(step.range & 1) * 128}/25`;
          allocator.occupy(step.node, [range]);
          model.set(step.node, [range]);
        } else if (!model.has(step.node)) {
          const others = [...model.values()].flat();
          const got = allocator.allocate(step.node);
          const free = [0, 1, 2].filter((third) => !others.some((one) => one.startsWith(`10.0.${third}.`)));
          if (got === undefined) assert.deepEqual(free, []);
          else {
            model.set(step.node, got);
            const [cidr] = got.map(parseCidr);
            assert.ok(cidr !== undefined && free.some((third) => got[0] === `10.0.${third}.0/24`), `${got} beside ${others}`);
            for (const other of others) assert.ok(!cidrContains(cidr, parseCidr(other)?.address ?? cidr.address), `${got} beside ${other}`);
          }
        }
      }
    }),
  );
});

test("a node gets a range of each family or none", () => {
  const allocator = new NodeCidrAllocator({ clusterCidrs: ["10.0.0.0/23", "fd00::/64"], maskSizes: { 6: 64 } });
  assert.deepEqual(allocator.allocate("a"), ["10.0.0.0/24", "fd00::/64"]);
  assert.equal(allocator.allocate("b"), undefined);
  allocator.release("a");
  assert.deepEqual(allocator.allocate("b"), ["10.0.0.0/24", "fd00::/64"], "what b did not get of the first family is free again");
});
