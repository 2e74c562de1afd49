/** A file of variables, `NAME='value'` each, of which one is wanted. @see https://kep.k8s.io/5307 */

/** Undefined for a name that has no value in it. @throws Error in Kubernetes' words */
export function variableOfFile(text: string, wanted: string): string | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const wrong = (line: number, what: string): Error => new Error(`invalid environment variable format at line ${line}: ${what}`);
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").replace(/\r$/, "").replace(/^[ \t]+/, "");
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value = ""] = /^([^=]*)=(.*)$/s.exec(line) ?? [];
    if (name === undefined) throw wrong(at + 1, "missing '='");
    if (name.trimEnd() === "") throw wrong(at + 1, "empty variable name");
    if (/[ \t]$/.test(name)) throw wrong(at + 1, "whitespace before '=' is not allowed");
    if (/^[ \t]/.test(value)) {
      if (name === wanted) return undefined;
      continue;
    }
    if (!value.startsWith("'")) throw wrong(at + 1, "value must be enclosed in single quotes");
    const first = at + 1;
    let quoted = value.slice(1);
    while (!quoted.includes("'")) {
      if (++at >= lines.length) throw new Error(`invalid environment variable format starting at line ${first}: unclosed single quote`);
      quoted += `\n${(lines[at] ?? "").replace(/\r$/, "")}`;
    }
    const end = quoted.indexOf("'");
    if (!/^[ \t]*(#|$)/.test(quoted.slice(end + 1))) throw wrong(at + 1, "unexpected content after closing quote");
    if (name === wanted) return quoted.slice(0, end) || undefined;
  }
  return undefined;
}
