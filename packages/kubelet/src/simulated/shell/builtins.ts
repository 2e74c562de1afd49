/** What a shell does itself. */
import type { Streams } from "../streams.ts";
import { Exit, type ShellContext } from "./context.ts";
import { evaluateTest } from "./test-expression.ts";

interface BuiltinContext extends ShellContext {
  readonly run: (name: string, args: readonly string[]) => Promise<number>;
}

type Builtin = (args: readonly string[], streams: Streams, context: BuiltinContext) => number | Promise<number>;

export const builtins: Readonly<Record<string, Builtin>> = {
  __proto__: null as never,
  ":": () => 0,
  command: (args, streams, context) => {
    const [option = "", ...names] = args;
    if (option === "-v" || option === "-V") return located(names, streams, context);
    const [name, ...rest] = option === "-p" ? names : args;
    return name === undefined ? 0 : context.run(name, rest);
  },
  type: located,
  which: located,
  exec: async ([name, ...args], _streams, { run }) => {
    if (name === undefined) return 0;
    throw new Exit(await run(name, args));
  },
  exit: ([code], _streams, { variables }) => {
    throw new Exit(code === undefined ? variables.status : Number(code) || 0);
  },
  test: (args, _streams, context) => evaluated(args, context),
  "[": (args, { stderr }, context) => {
    if (args.at(-1) === "]") return evaluated(args.slice(0, -1), context);
    stderr("sh: missing ]\n");
    return 2;
  },
  export: (args, { stdout }, { variables }) => {
    const names = args.filter((arg) => arg !== "-p");
    for (const name of names) {
      if (name.includes("=")) variables.assign(name, true);
      else variables.export(name);
    }
    if (names.length === 0) for (const { name, value } of variables.exported()) stdout(`export ${name}='${value}'\n`);
    return 0;
  },
  unset: (args, _streams, { variables }) => {
    for (const name of args) variables.unset(name);
    return 0;
  },
  set: () => 0,
  cd: () => 0,
  pwd: (_args, { stdout }) => {
    stdout("/\n");
    return 0;
  },
};

const evaluated = (args: readonly string[], { program }: BuiltinContext): number =>
  evaluateTest(args, (path) => path.startsWith("/") && program(path) !== undefined);

/** Where each is, as `command -v` says it; 127 when one is nowhere. */
function located(names: readonly string[], { stdout }: Streams, { program }: BuiltinContext): number {
  let code = 0;
  for (const name of names) {
    if (name in builtins) stdout(`${name}\n`);
    else if (program(name) === undefined) code = 127;
    else stdout(`${name.startsWith("/") ? name : `/bin/${name}`}\n`);
  }
  return code;
}
