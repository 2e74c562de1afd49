/** `test` and `[`, in a container without files. */

const comparisons: Readonly<Record<string, (left: string, right: string) => boolean>> = {
  __proto__: null as never,
  "=": (a, b) => a === b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "-eq": (a, b) => Number(a) === Number(b),
  "-ne": (a, b) => Number(a) !== Number(b),
  "-lt": (a, b) => Number(a) < Number(b),
  "-le": (a, b) => Number(a) <= Number(b),
  "-gt": (a, b) => Number(a) > Number(b),
  "-ge": (a, b) => Number(a) >= Number(b),
};

/** Files that any shell can be sure of. */
const directories = new Set(["/", "/bin", "/dev", "/etc", "/proc", "/tmp", "/usr", "/var"]);

/** 0, 1, or 2 for what is no expression. `hasProgram` knows what can be run by its path. */
export function evaluateTest(words: readonly string[], hasProgram: (path: string) => boolean): number {
  const or = words.indexOf("-o");
  if (or > 0) return evaluateTest(words.slice(0, or), hasProgram) === 0 ? 0 : evaluateTest(words.slice(or + 1), hasProgram);
  const and = words.indexOf("-a");
  if (and > 0) return evaluateTest(words.slice(0, and), hasProgram) || evaluateTest(words.slice(and + 1), hasProgram);
  const [first = "", second = "", third = ""] = words;
  if (first === "!" && words.length > 1) {
    const code = evaluateTest(words.slice(1), hasProgram);
    return code === 2 ? 2 : 1 - code;
  }
  const comparison = comparisons[second];
  if (words.length === 3 && comparison !== undefined) return comparison(first, third) ? 0 : 1;
  if (words.length <= 1) return first === "" ? 1 : 0;
  return words.length === 2 ? unary(first, second, hasProgram) : 2;
}

function unary(operator: string, operand: string, hasProgram: (path: string) => boolean): number {
  const yes = (condition: boolean): number => (condition ? 0 : 1);
  switch (operator) {
    case "-n":
      return yes(operand !== "");
    case "-z":
      return yes(operand === "");
    case "-d":
      return yes(directories.has(operand));
    case "-f":
    case "-x":
    case "-s":
      return yes(hasProgram(operand) || (operator === "-x" && directories.has(operand)));
    case "-e":
    case "-r":
      return yes(hasProgram(operand) || directories.has(operand) || operand === "/dev/null");
    case "-c":
    case "-w":
      return yes(operand === "/dev/null");
    case "-h":
    case "-L":
    case "-p":
    case "-S":
    case "-t":
      return 1;
    default:
      return 2;
  }
}
