import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { runCommand } from "../commands.ts";

async function run(command: readonly string[], input = "") {
  let [stdout, stderr] = ["", ""];
  const streams = {
    stdin: (async function* () {
      // A byte at a time, as a terminal may send it.
      for (const byte of Buffer.from(input)) yield Uint8Array.of(byte);
    })(),
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
  };
  const config = { env: [{ name: "COLOUR", value: "dark red" }], hostname: "web" };
  const code = await runCommand(command, streams, { config, clock: new ManualClock(), signal: new AbortController().signal });
  return { stdout, stderr, code };
}

const missing = (name: string) => `${name}: not found in a simulated container\n`;

const scripts: readonly { script: string; stdout?: string; stderr?: string; code?: number }[] = [
  { script: "echo a; echo b && false || echo c", stdout: "a\nb\nc\n" },
  { script: "false && echo no; echo $?", stdout: "1\n" },
  { script: "! true; echo $?", stdout: "1\n" },
  { script: "echo 'a  b' \"c  d\" e\\ f", stdout: "a  b c  d e f\n" },
  { script: 'echo $COLOUR "$COLOUR" \'$COLOUR\' ${NONE:-n} "${NONE-}" # said', stdout: "dark red dark red $COLOUR n \n" },
  { script: 'X=1; Y="$X 2"; echo $Y; unset X; echo "[$X]"', stdout: "1 2\n[]\n" },
  { script: "export A=b; B=c; env", stdout: "COLOUR=dark red\nA=b\n" },
  { script: "A=b env; echo [$A]", stdout: "COLOUR=dark red\nA=b\n[]\n" },
  { script: "echo $(echo in; echo side) `echo tick`", stdout: "in side tick\n" },
  { script: "command -v sh echo test nothing; echo $?", stdout: "/bin/sh\n/bin/echo\ntest\n127\n" },
  { script: "command -v bash >/dev/null && exec bash -c 'echo bash' || exec sh", stdout: "bash\n" },
  { script: "command -v zsh >/dev/null && exec zsh || exec sh -c 'echo sh; exit 7'", stdout: "sh\n", code: 7 },
  { script: "clear; (bash -c 'exit 3' || ash || sh)", stdout: "\u001b[H\u001b[2J" },
  { script: "(exit 4); echo $?; { exit 5; }; echo no", stdout: "4\n", code: 5 },
  { script: "test -f /tmp/healthy", code: 1 },
  { script: "[ -x /bin/sh ] && [ -d /tmp ] && [ a = a ] && [ 2 -gt 1 ] && [ ! -e /x ] && [ -n x -a -z '' ]" },
  { script: "[ a", stderr: "sh: missing ]\n", code: 2 },
  { script: "if [ -f /no ]; then echo yes; elif true; then echo second; else echo third; fi", stdout: "second\n" },
  { script: "if false\nthen echo no\nfi", stdout: "" },
  { script: "ls /x || exit 9", stderr: missing("ls"), code: 9 },
  { script: "ls 2>/dev/null; ls >/dev/null 2>&1; ls &>/dev/null; echo $?", stdout: "127\n" },
  { script: "echo oops >&2", stderr: "oops\n" },
  { script: "echo x > /tmp/x && echo no", stderr: "sh: can't create /tmp/x: there are no files in a simulated container\n", code: 1 },
  { script: "echo a | cat; printf '%s-%d\\n' a 1 b 2 | cat", stdout: "a\na-1\nb-2\n" },
  { script: "/bin/echo by path; /opt/echo", stdout: "by path\n", stderr: missing("/opt/echo"), code: 127 },
  { script: "echo 'open", stderr: "sh: syntax error: unexpected end of file\n", code: 2 },
  { script: "echo a && && echo b", stderr: 'sh: syntax error: unexpected "&&"\n', code: 2 },
  { script: "exec", code: 0 },
];
for (const { script, stdout = "", stderr = "", code = 0 } of scripts)
  test(`sh -c ${JSON.stringify(script)}`, async () => assert.deepEqual(await run(["sh", "-c", script]), { stdout, stderr, code }));

test("sh -c has arguments", async () => {
  assert.deepEqual(await run(["sh", "-c", 'echo "$1" $# "$@"', "sh", "a", "b"]), { stdout: "a 2 a b\n", stderr: "", code: 0 });
});

const typed: readonly { input: string; stdout?: string; stderr?: string; code?: number }[] = [
  { input: "X=1\necho $X\nexit 3\necho no\n", stdout: "1\n", code: 3 },
  { input: "if true\nthen echo 'two\nlines'\nfi\necho end", stdout: "two\nlines\nend\n" },
  { input: "nope\necho $?\n", stdout: "127\n", stderr: missing("nope") },
  { input: ")\necho on\n", stdout: "on\n", stderr: 'sh: syntax error: unexpected ")"\n' },
  { input: "exec bash\necho inner\nexit 4\necho no\n", stdout: "inner\n", code: 4 },
  { input: "bash\nexit 5\necho $?\n", stdout: "5\n" },
  { input: "cat\nread by cat\n", stdout: "read by cat\n" },
];
for (const { input, stdout = "", stderr = "", code = 0 } of typed)
  test(`what is typed: ${JSON.stringify(input)}`, async () => assert.deepEqual(await run(["sh"], input), { stdout, stderr, code }));
