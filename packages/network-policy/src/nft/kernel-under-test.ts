/** A table as the kernel has it after transactions, and what it does with the first packet of a connection. It refuses what the kernel would. */
import assert from "node:assert/strict";
import { parseIp } from "@coxswain/machinery";
import type { NftCommand } from "@coxswain/proxy";

export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
}

type Outcome = "accept" | "drop" | "return" | "next";
interface Named {
  readonly name: string;
  readonly chain: string;
  readonly expr: readonly Statement[];
  readonly elem: readonly unknown[];
  readonly hook?: string;
}
// biome-ignore lint/suspicious/noExplicitAny: the JSON of nft is not typed
type Statement = Record<string, any>;

export class KernelTable {
  #chains = new Map<string, Statement[][]>();
  #sets = new Map<string, Map<string, string | undefined>>();

  run(commands: readonly NftCommand[]): void {
    for (const command of commands) {
      const [verb = "", what] = Object.entries(command)[0] ?? [];
      const [kind = "", described] = Object.entries(what as object)[0] as [string, Named];
      this.#do(`${verb} ${kind}`, described);
    }
  }

  /** The names of all chains and sets. */
  get names(): readonly string[] {
    return [...this.#chains.keys(), ...this.#sets.keys()].sort();
  }

  accepts(packet: Packet): boolean {
    return this.#evaluate("forward", packet) !== "drop";
  }

  #do(what: string, { name, chain, expr, elem }: Named): void {
    switch (what) {
      case "add table":
        return;
      case "delete table":
        this.#chains = new Map();
        this.#sets = new Map();
        return;
      case "add chain":
        assert.ok(name.length < 128, name);
        this.#chains.set(name, this.#chains.get(name) ?? []);
        return;
      case "flush chain":
        this.#chain(name).length = 0;
        return;
      case "delete chain":
        assert.ok(!this.#isUsed(name), `${name} is used`);
        assert.ok(this.#chains.delete(name), name);
        return;
      case "add rule":
        this.#chain(chain).push([...expr]);
        return;
      case "add set":
      case "add map":
        this.#sets.set(name, this.#sets.get(name) ?? new Map());
        return;
      case "delete set":
        assert.ok(!JSON.stringify([...this.#chains]).includes(`"@${name}"`), `${name} is used`);
        assert.ok(this.#sets.delete(name), name);
        return;
      case "add element":
        for (const [key, target] of elem.map(elementOf)) {
          assert.ok(!this.#set(name).has(key), `${name} has ${key}`);
          if (target !== undefined) this.#chain(target);
          this.#set(name).set(key, target);
        }
        return;
      case "delete element":
        for (const [key] of elem.map(elementOf)) assert.ok(this.#set(name).delete(key), `${name} has no ${key}`);
        return;
      default:
        assert.fail(what);
    }
  }

  #isUsed = (chain: string): boolean => [...this.#sets.values()].some((set) => [...set.values()].includes(chain));

  #chain(name: string): Statement[][] {
    return this.#chains.get(name) ?? assert.fail(`no chain ${name}`);
  }

  #set(name: string): Map<string, string | undefined> {
    return this.#sets.get(name) ?? assert.fail(`no set ${name}`);
  }

  #evaluate(chain: string, packet: Packet): Outcome {
    for (const rule of this.#chain(chain)) {
      const verdict = this.#rule(rule, packet);
      if (verdict === "return") return "next";
      if (verdict !== "next") return verdict;
    }
    return "next";
  }

  #rule(rule: readonly Statement[], packet: Packet): Outcome {
    for (const statement of rule) {
      if ("match" in statement) {
        if (!this.#matches(statement.match, packet)) return "next";
      } else if ("vmap" in statement) {
        const target = this.#set(statement.vmap.data.slice(1)).get(textOf(statement.vmap.key, packet));
        if (target !== undefined) return this.#evaluate(target, packet);
      } else if ("accept" in statement) return "accept";
      else if ("drop" in statement) return "drop";
      else if ("return" in statement) return "return";
      else assert.fail(JSON.stringify(statement));
    }
    return "next";
  }

  /** A connection's first packet is of no known one, and no neighbours' question. */
  #matches({ left, right }: Statement, packet: Packet): boolean {
    if (left.ct !== undefined || left.payload?.protocol === "icmpv6") return false;
    const text = textOf(left, packet);
    if (typeof right === "string" && right.startsWith("@")) return this.#set(right.slice(1)).has(text);
    const values: readonly unknown[] = typeof right === "object" ? right.set : [right];
    assertApart(values);
    return values.some((value) => isIn(text, value));
  }
}

const elementOf = (element: unknown): readonly [string, string | undefined] => {
  if (!Array.isArray(element)) return [keyOf(element), undefined];
  const [key, verdict] = element as [unknown, { jump: { target: string } }];
  return [keyOf(key), verdict.jump.target];
};

const keyOf = (key: unknown): string => (typeof key === "object" ? (key as { concat: string[] }).concat.join(" . ") : String(key));

function textOf(expression: Statement, packet: Packet): string {
  if (expression.concat !== undefined) return expression.concat.map((part: Statement) => textOf(part, packet)).join(" . ");
  if (expression.meta?.key === "l4proto") return packet.protocol;
  const { field } = expression.payload;
  return field === "saddr" ? packet.from : field === "daddr" ? packet.to : String(packet.port);
}

const numberOf = (text: string): bigint => parseIp(text)?.bits ?? (/^\d+$/.test(text) ? BigInt(text) : -1n);

function ends(value: unknown): readonly [bigint, bigint] {
  if (typeof value !== "object") return [numberOf(String(value)), numberOf(String(value))];
  const [first, last] = (value as { range: [unknown, unknown] }).range;
  return [numberOf(String(first)), numberOf(String(last))];
}

function isIn(text: string, value: unknown): boolean {
  if (text === String(value)) return true;
  const [first, last] = ends(value);
  const number = numberOf(text);
  return number >= 0n && first <= number && number <= last;
}

/** As intervals in one set have to be. */
function assertApart(values: readonly unknown[]): void {
  assert.ok(values.length > 0);
  const sorted = values.map(ends).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [at, [first, last]] of sorted.entries()) {
    assert.ok(first <= last, JSON.stringify(values));
    const before = sorted[at - 1];
    assert.ok(before === undefined || first < 0n || before[1] < first, JSON.stringify(values));
  }
}
