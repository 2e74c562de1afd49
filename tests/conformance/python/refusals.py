"""What a refused call must raise."""

import json
from contextlib import contextmanager

from kubernetes.client.exceptions import ApiException


@contextmanager
def refused(code, reason, text=""):
    """The block must raise an ApiException whose body is a Status with this reason, its text somewhere in the message."""
    status = {}
    try:
        yield status
    except ApiException as error:
        status.update(json.loads(error.body))
        got = (error.status, status["code"], status["reason"], status["kind"], status["status"])
        assert got == (code, code, reason, "Status", "Failure"), status
        assert text in status["message"], status["message"]
    else:
        raise AssertionError(f"no {code} {reason}")
