package main

import (
	"errors"
	"fmt"
	"strings"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/release/common"
	"helm.sh/helm/v4/pkg/storage/driver"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (s shop) check() {
	step := func(name string, run func() error) { check(name+" by "+s.method, run()) }
	step("install", s.installs)
	step("a second install of the name is refused", s.installsOnce)
	step("a dry run of an upgrade writes nothing", s.triesUpgrade)
	step("upgrade keeps what others added", s.upgrades)
	step("upgrade to what is invalid fails", s.upgradesWrongly)
	step("rollback", s.rollsBack)
	if s.method == "ssa" {
		step("upgrade over another's value conflicts, and is forced", s.upgradesOverConflict)
	} else {
		step("upgrade undoes drift", s.upgradesOverDrift)
	}
	step("history and list", s.lists)
	step("a failed hook fails the install", s.failsHook)
	step("uninstall", s.uninstalls)
}

func (s shop) installs() error {
	made, err := s.install(releaseName, values{"greeting": "hi"})
	if err != nil {
		return err
	}
	if err := errors.Join(
		same("status", made.Info.Status, common.StatusDeployed),
		same("revision", made.Version, 1),
		same("method", made.ApplyMethod, s.method),
		same("notes", made.Info.Notes, "shop says hi on 1.36\n"),
		same("hooks", len(made.Hooks), 1),
	); err != nil {
		return err
	}
	return s.expect("nginx:1", 1, map[string]string{"greeting": "hi", "namespace-exists": "true"}, true, "1 deployed")
}

func (s shop) installsOnce() error {
	_, err := s.install(releaseName, nil)
	return says(err, "cannot reuse a name that is still in use")
}

func (s shop) triesUpgrade() error {
	before, err := s.state()
	if err != nil {
		return err
	}
	tried, err := s.upgrade(values{"replicas": 9}, func(u *action.Upgrade) { u.DryRunStrategy = action.DryRunServer })
	if err != nil {
		return err
	}
	after, err := s.state()
	return errors.Join(err, same("what it would write", strings.Contains(tried.Manifest, "replicas: 9"), true), same("the cluster", after, before))
}

// upgrades changes two values and drops an object, after others have added to objects of the release.
func (s shop) upgrades() error {
	before, err := s.state()
	if err != nil {
		return err
	}
	added := metav1.PatchOptions{FieldManager: "someone"}
	_, err1 := s.client.AppsV1().Deployments(s.namespace).Patch(s.ctx, releaseName, types.MergePatchType, []byte(`{"metadata":{"annotations":{"someone/note":"mine"}}}`), added)
	_, err2 := s.client.CoreV1().ConfigMaps(s.namespace).Patch(s.ctx, "shop-settings", types.MergePatchType, []byte(`{"data":{"theirs":"kept"}}`), added)
	made, err3 := s.upgrade(values{"image": "nginx:2", "replicas": 2, "extra": false})
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	after, err := s.state()
	if err != nil {
		return err
	}
	settings := map[string]string{"greeting": "hello", "namespace-exists": "true", "theirs": "kept"}
	was, is := before.Deployments[releaseName], after.Deployments[releaseName]
	return errors.Join(
		same("revision", made.Version, 2),
		same("method", made.ApplyMethod, s.method),
		same("the deployment's uid", is.UID, was.UID),
		same("its generation, which counts annotations too", is.Generation, was.Generation+2),
		same("its foreign annotation", is.Annotations["someone/note"], "mine"),
		same("the untouched service", after.Services, before.Services),
		s.expect("nginx:2", 2, settings, false, "1 superseded", "2 deployed"),
	)
}

func (s shop) upgradesWrongly() error {
	_, err := s.upgrade(values{"replicas": -1})
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("not invalid: %v", err)
	}
	if err := says(err, `Deployment.apps "shop" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`); err != nil {
		return err
	}
	latest, err := s.current()
	return errors.Join(err, same("status", latest.Info.Status, common.StatusFailed))
}

func (s shop) rollsBack() error {
	if err := s.rollback(1); err != nil {
		return err
	}
	latest, err := s.current()
	if err != nil {
		return err
	}
	settings := map[string]string{"greeting": "hi", "namespace-exists": "true", "theirs": "kept"}
	return errors.Join(
		same("revision", latest.Version, 4),
		same("description", latest.Info.Description, "Rollback to 1"),
		s.expect("nginx:1", 1, settings, true, "1 superseded", "2 superseded", "3 failed", "4 deployed"),
	)
}

// drift scales the deployment, as an autoscaler without a field manager that Helm knows would.
func (s shop) drift() error {
	scale, err := s.client.AppsV1().Deployments(s.namespace).GetScale(s.ctx, releaseName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 7
	_, err = s.client.AppsV1().Deployments(s.namespace).UpdateScale(s.ctx, releaseName, scale, metav1.UpdateOptions{FieldManager: "autoscaler"})
	return err
}

func (s shop) upgradesOverConflict() error {
	if err := s.drift(); err != nil {
		return err
	}
	_, err := s.upgrade(values{"replicas": 3})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("not a conflict: %v", err)
	}
	if err := says(err, `conflict with "autoscaler" with subresource "scale" using apps/v1: .spec.replicas`); err != nil {
		return err
	}
	if _, err := s.upgrade(values{"replicas": 3}, func(u *action.Upgrade) { u.ForceConflicts = true }); err != nil {
		return err
	}
	settings := map[string]string{"greeting": "hello", "namespace-exists": "true", "theirs": "kept"}
	return s.expect("nginx:1", 3, settings, true, "1 superseded", "2 superseded", "3 failed", "4 superseded", "5 failed", "6 deployed")
}

func (s shop) upgradesOverDrift() error {
	if err := s.drift(); err != nil {
		return err
	}
	if _, err := s.upgrade(values{"greeting": "hi"}); err != nil {
		return err
	}
	settings := map[string]string{"greeting": "hi", "namespace-exists": "true", "theirs": "kept"}
	return s.expect("nginx:1", 1, settings, true, "1 superseded", "2 superseded", "3 failed", "4 superseded", "5 deployed")
}

func (s shop) lists() error {
	history, err1 := action.NewHistory(s.config).Run(releaseName)
	list := action.NewList(s.config)
	listed, err2 := list.Run()
	found, err3 := s.state()
	return errors.Join(err1, err2, err3, same("revisions", len(history), len(found.Revisions)), same("releases", len(listed), 1))
}

func (s shop) failsHook() error {
	_, err := s.install("broken", values{"migration": "fails"})
	if err := says(err, "failed pre-install"); err != nil {
		return err
	}
	found, err := s.state()
	if err != nil {
		return err
	}
	_, deployed := found.Deployments["broken"]
	if err := errors.Join(same("the failed job is kept", found.Jobs, 1), same("a deployment was made", deployed, false)); err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground
	return errors.Join(s.uninstall("broken"),
		s.client.BatchV1().Jobs(s.namespace).Delete(s.ctx, "broken-migration", metav1.DeleteOptions{PropagationPolicy: &background}))
}

func (s shop) uninstalls() error {
	if err := s.uninstall(releaseName); err != nil {
		return err
	}
	if _, err := s.current(); !errors.Is(err, driver.ErrReleaseNotFound) {
		return fmt.Errorf("the release is still there: %v", err)
	}
	found, err := s.state()
	left := len(found.Deployments) + len(found.Services) + len(found.ConfigMaps) + len(found.Revisions) + found.Jobs
	return errors.Join(err, same("objects left", left, 0))
}

func says(err error, part string) error {
	if err == nil || !strings.Contains(err.Error(), part) {
		return fmt.Errorf("%v, without %q", err, part)
	}
	return nil
}
