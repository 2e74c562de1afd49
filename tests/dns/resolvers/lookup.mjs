/** Prints for each argument a line: it, a tab, and what c-ares finds, which Node asks for records; `lookup:` asks as `fetch` does. */
import { lookup, Resolver } from "node:dns/promises";

const resolver = new Resolver();
const nothing = (error) => {
  if (error.code === "ENOTFOUND" || error.code === "ENODATA") return [];
  throw error;
};

async function addresses(name) {
  const all = await Promise.all([resolver.resolve4(name).catch(nothing), resolver.resolve6(name).catch(nothing)]);
  return all.flat();
}

const kinds = {
  lookup: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  ptr: (address) => resolver.reverse(address),
  srv: async (name) => (await resolver.resolveSrv(name)).map(({ name: target, port }) => `${target}:${port}`),
  txt: async (name) => (await resolver.resolveTxt(name)).flat(),
  cname: (name) => resolver.resolveCname(name),
};

for (const asked of process.argv.slice(2)) {
  const [, kind = "", name = ""] = /^([a-z]+):(.*)$/.exec(asked) ?? [];
  const found = await (kind === "" ? addresses(asked) : kinds[kind](name)).catch(nothing);
  console.log(`${asked}\t${found.length === 0 ? "nothing" : found.join(" ")}`);
}
