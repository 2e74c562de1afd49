"""A Kubernetes control plane for tests.

`Cluster` starts one in under a second and ends it with the process that started it; the fixtures for pytest are in
`coxswain.pytest`.
"""

from ._cluster import Cluster
from ._errors import ClusterError, ExecutableNotFoundError
from ._executable import find_executable

__version__ = "0.1.0"
__all__ = ["Cluster", "ClusterError", "ExecutableNotFoundError", "__version__", "find_executable"]
