"""Commands and ports of the container `main` of the Pod `web` with the official client: WebSockets of version 4."""

import sys

from kubernetes import client, config
from kubernetes.stream import portforward, stream

config.load_kube_config(sys.argv[1])
port = int(sys.argv[2])
v1 = client.CoreV1Api()


def check(name, got, want):
    print(f"ok {name}" if got == want else f"FAILED {name}: got {got!r}, want {want!r}")


def run(*command, method=v1.connect_get_namespaced_pod_exec, stdin=False, **more):
    options = dict(container="main", command=list(command), stdout=True, stderr=True, stdin=stdin, tty=False)
    return stream(method, "web", "default", **options, **more)


running = run("sh", "-c", "echo out; echo err >&2; exit 7", _preload_content=False)
running.run_forever(timeout=10)
check("outputs and exit code", (running.read_stdout(), running.read_stderr(), running.returncode), ("out\n", "err\n", 7))

check("all at once, by POST", run("echo", "hi", method=v1.connect_post_namespaced_pod_exec), "hi\n")

repeating = run("cat", stdin=True, _preload_content=False)
repeating.write_stdin("x" * 2_000_000)
read = 0
while read < 2_000_000 and repeating.is_open():
    repeating.update(timeout=5)
    read += len(repeating.read_stdout(timeout=5))
repeating.close()
check("much standard input in one message", read, 2_000_000)

forward = portforward(v1.connect_get_namespaced_pod_portforward, "web", "default", ports=str(port))
connection = forward.socket(port)
connection.setblocking(True)
connection.sendall(b"hello")
check("a port", connection.recv(5), b"hello")
connection.close()
