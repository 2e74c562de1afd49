from __future__ import annotations


class ClusterError(Exception):
    """A cluster that does not start, or does not end as it should; the message has the end of its log."""


class ExecutableNotFoundError(ClusterError):
    """There is no `coxswain` to run; the message names the places that were searched."""
