/** `$(NAME)` in values, commands and arguments; `$$` is a dollar sign. */

/** What stands for no variable is left as it is. */
export function expand(text: string, valueFor: (name: string) => string | undefined): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (match: string, name: string | undefined) => {
    if (name === undefined) return "$";
    return valueFor(name) ?? match;
  });
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
