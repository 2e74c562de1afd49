package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const leaseName = "site-operator"

// operator is a manager that runs, as one process of an operator's deployment would.
type operator struct {
	manager manager.Manager
	sites   *sites
	stop    context.CancelFunc
	ended   chan error
}

func start(ctx context.Context, restConfig *rest.Config) (operator, error) {
	isSite := labels.SelectorFromSet(labels.Set{"kind": "site"})
	leaseDuration, renewDeadline, retryPeriod, skip := 6*time.Second, 4*time.Second, 200*time.Millisecond, true
	made, err := manager.New(restConfig, manager.Options{
		Metrics: server.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{namespace: {}},
			ByObject:          map[client.Object]cache.ByObject{&corev1.ConfigMap{}: {Label: isSite}},
		},
		Controller:     config.Controller{SkipNameValidation: &skip, MaxConcurrentReconciles: 4},
		LeaderElection: true, LeaderElectionID: leaseName, LeaderElectionNamespace: namespace,
		LeaseDuration: &leaseDuration, RenewDeadline: &renewDeadline, RetryPeriod: &retryPeriod,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return operator{}, err
	}
	reconciler := &sites{Client: made.GetClient(), recorder: made.GetEventRecorder("site")}
	if err := made.GetFieldIndexer().IndexField(ctx, &corev1.ConfigMap{}, "team", func(object client.Object) []string {
		return []string{object.(*corev1.ConfigMap).Data["team"]}
	}); err != nil {
		return operator{}, err
	}
	if err := ctrl.NewControllerManagedBy(made).For(&corev1.ConfigMap{}).Owns(&appsv1.Deployment{}).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(siteOfSecret)).
		Complete(reconciler); err != nil {
		return operator{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- made.Start(ctx) }()
	return operator{made, reconciler, cancel, ended}, nil
}

// siteOfSecret says that a Secret's site has its name.
func siteOfSecret(_ context.Context, secret client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(secret)}}
}

func (o operator) leads(ctx context.Context) error {
	if o.manager == nil {
		return nil
	}
	select {
	case <-o.manager.Elected():
		return nil
	case err := <-o.ended:
		return fmt.Errorf("the manager ended: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stops expects the manager to end in order, which includes giving its lease away.
func (o operator) stops(ctx context.Context) error {
	o.stop()
	select {
	case err := <-o.ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func holder(ctx context.Context, direct client.Client) (string, error) {
	var lease coordinationv1.Lease
	if err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: leaseName}, &lease); err != nil || lease.Spec.HolderIdentity == nil {
		return "", err
	}
	return *lease.Spec.HolderIdentity, nil
}
