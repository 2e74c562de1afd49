"""Leader election: one leads, and the other follows it once it stops."""

import threading

from kubernetes import client
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.leaderelectionrecord import LeaderElectionRecord
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock


class Stopped(Exception):
    """Raised by a leader that gives up."""


def elected(lock_class):
    def check(namespace):
        leading, second, order = threading.Lock(), threading.Event(), []
        follower_waits = threading.Event()

        def candidate(identity, lead):
            def started():
                assert leading.acquire(blocking=False), "two lead at once"
                order.append(identity)
                try:
                    lead()
                finally:
                    leading.release()

            lock = lock_class(f"lock-{lock_class.__name__.lower()}", namespace, identity)
            config = electionconfig.Config(
                lock, lease_duration=3, renew_deadline=2, retry_period=1, onstarted_leading=started, onstopped_leading=lambda: None
            )
            threading.Thread(target=leaderelection.LeaderElection(config).run, daemon=True).start()

        def lead_until_followed():
            candidate("b", second.set)
            follower_waits.wait(1.5)
            raise Stopped

        candidate("a", lead_until_followed)
        assert second.wait(25), order
        assert order == ["a", "b"], order
        _, record = lock_class("", namespace, "").get(f"lock-{lock_class.__name__.lower()}", namespace)
        assert record.holder_identity == "b", record.holder_identity

    return check


def held(namespace):
    """What the lock leaves behind is a Lease as any client reads it."""
    lock = LeaseLock("held", namespace, "me")
    # A time without a fraction is one that Kubernetes does not parse, and that the client does send now and then.
    times = ("2026-01-02 03:04:05.000006+00:00", "2026-01-02 03:04:06.000007+00:00")
    mine, theirs = (LeaderElectionRecord(identity, "15", *times) for identity in ("me", "other"))
    assert lock.create("held", namespace, mine)
    other = LeaseLock("held", namespace, "other")
    assert other.get("held", namespace)[0] and other.update("held", namespace, theirs)
    assert not lock.update("held", namespace, mine), "a lock that was lost was renewed"
    spec = client.CoordinationV1Api().read_namespaced_lease("held", namespace).spec
    assert (spec.lease_duration_seconds, spec.acquire_time.microsecond, spec.renew_time.microsecond) == (15, 6, 7)


CHECKS = {
    "on a ConfigMap": elected(ConfigMapLock),
    "on a Lease": elected(LeaseLock),
    "a lost lock cannot be renewed": held,
}
