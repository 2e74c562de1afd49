/** Keeps what was ordered, in a file that outlives its container. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { serve } from "./serve.ts";

const file = "/data/entries.jsonl";

serve(({ method, path, body }) => {
  const [, , customer = ""] = path.split("/");
  if (method === "POST") appendFileSync(file, `${JSON.stringify({ customer, entry: body })}\n`);
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const own = lines.map((line) => JSON.parse(line)).filter((one) => one.customer === customer);
  return { keptBy: hostname(), entries: own.map(({ entry }) => entry) };
});
