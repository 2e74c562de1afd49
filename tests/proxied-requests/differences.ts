/** In which fields two answers differ, as paths; of headers that a backend has seen, which lines only one of them has. */
export function differences(one: unknown, other: unknown, path = ""): readonly string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (Array.isArray(one) && Array.isArray(other) && path.endsWith("/headers")) {
    const [before, after] = [new Set(one as string[]), new Set(other as string[])];
    return [...before.symmetricDifference(after)].map((line) => `${path}/${line}`);
  }
  if (!isObject(one) || !isObject(other)) return [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differences(one[name], other[name], `${path}/${name}`));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;
