"""Without fixtures: unittest, which pytest runs too."""

import unittest

from kubernetes import client

from coxswain import Cluster


class LibraryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster("--apiserver-only")
        cls.addClassCleanup(cls.cluster.stop)

    def test_a_namespace_for_a_block(self):
        with self.cluster.kubernetes_client() as api, self.cluster.namespace() as name:
            core = client.CoreV1Api(api)
            self.assertEqual(core.read_namespace(name).status.phase, "Active")
            core.create_namespaced_config_map(name, {"metadata": {"name": "made"}})
            self.assertEqual(len(core.list_namespaced_config_map(name).items), 1)
        with self.cluster.kubernetes_client() as api:
            self.assertEqual(client.CoreV1Api(api).read_namespace(name).status.phase, "Terminating")


if __name__ == "__main__":
    unittest.main()
