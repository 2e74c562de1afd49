/** `$(NAME)` in values, commands and arguments; `$$` is a dollar sign. */

/** What stands for no variable is left as it is. */
export function expand(text: string, valueFor: (name: string) => string | undefined): string {
  let expanded = "";
  let done = 0;
  // Behind it, no `$(` needs to look for its end.
  const lastEnd = text.lastIndexOf(")");
  for (let dollar = text.indexOf("$"); dollar >= 0; dollar = text.indexOf("$", Math.max(done, dollar + 1))) {
    const next = text.charAt(dollar + 1);
    if (next !== "$" && (next !== "(" || dollar > lastEnd)) continue;
    const end = next === "$" ? dollar + 2 : text.indexOf(")", dollar) + 1;
    const value = next === "$" ? "$" : (valueFor(text.slice(dollar + 2, end - 1)) ?? text.slice(dollar, end));
    expanded += text.slice(done, dollar) + value;
    done = end;
  }
  return expanded + text.slice(done);
}

/** Each variable of a subPathExpr must have a value. @throws Error in Kubernetes' words */
export function expandAll(text: string, values: ReadonlyMap<string, string>): string {
  const missing = new Set<string>();
  const expanded = expand(text, (name) => {
    const value = values.get(name) ?? "";
    if (value === "") missing.add(name);
    return value;
  });
  if (missing.size > 0) throw new Error(`missing value for ${[...missing].sort().join(", ")}`);
  return expanded;
}
