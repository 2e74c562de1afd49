package main

import (
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
)

type values = map[string]any

const (
	releaseName = "shop"
	timeout     = 10 * time.Second
	wait        = kube.HookOnlyStrategy // no controller here creates pods
)

func (s shop) install(name string, given values) (*release.Release, error) {
	install := action.NewInstall(s.config)
	install.ReleaseName, install.Namespace, install.CreateNamespace = name, s.namespace, true
	install.ServerSideApply, install.WaitStrategy, install.Timeout = s.method == "ssa", wait, timeout
	made, err := install.RunWithContext(s.ctx, s.chart, given)
	typed, _ := made.(*release.Release)
	return typed, err
}

func (s shop) upgrade(given values, options ...func(*action.Upgrade)) (*release.Release, error) {
	upgrade := action.NewUpgrade(s.config)
	upgrade.Namespace, upgrade.WaitStrategy, upgrade.Timeout = s.namespace, wait, timeout
	for _, option := range options {
		option(upgrade)
	}
	made, err := upgrade.RunWithContext(s.ctx, releaseName, s.chart, given)
	typed, _ := made.(*release.Release)
	return typed, err
}

func (s shop) rollback(version int) error {
	rollback := action.NewRollback(s.config)
	rollback.Version, rollback.WaitStrategy, rollback.Timeout = version, wait, timeout
	return rollback.Run(releaseName)
}

func (s shop) uninstall(name string) error {
	uninstall := action.NewUninstall(s.config)
	uninstall.WaitStrategy, uninstall.Timeout = wait, timeout
	_, err := uninstall.Run(name)
	return err
}

func (s shop) current() (*release.Release, error) {
	found, err := action.NewGet(s.config).Run(releaseName)
	typed, _ := found.(*release.Release)
	return typed, err
}
