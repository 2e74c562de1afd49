"""Drives a server as scripts and controllers in Python do.

Prints one line for each check and exits with 1 when one fails. The only argument is a kubeconfig file.
"""

import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from kubernetes import client, config

import applying
import conflicts
import election
import kinds
import patches
import reading
import typed
import untyped
import watching

MODULES = [typed, conflicts, applying, reading, patches, watching, untyped, kinds, election]


def attempt(name, check, namespace):
    """The line with the outcome of a check."""
    try:
        check(namespace)
        return f"ok   {name}"
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)
        own = next((f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in reversed(where) if "site-packages" not in f.filename), "")
        return f"FAIL {name}: {own}: {type(error).__name__}: {str(error)[:2000]!r}"


def main():
    config.load_kube_config(sys.argv[1])
    core = client.CoreV1Api()
    checks = []
    for module in MODULES:
        namespace = f"python-{module.__name__}"
        core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))
        checks += [(f"{module.__name__}: {name}", check, namespace) for name, check in module.CHECKS.items()]
    with ThreadPoolExecutor(8) as pool:
        lines = list(pool.map(lambda check: attempt(*check), checks))
    print("\n".join(lines))
    sys.exit(any(line.startswith("FAIL") for line in lines))


main()
