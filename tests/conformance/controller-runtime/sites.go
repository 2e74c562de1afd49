package main

import (
	"context"
	"strconv"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	fieldOwner        = client.FieldOwner("site-operator")
	finalizer         = "conformance.test/site"
	readyAnnotation   = "conformance.test/ready"
	versionAnnotation = "conformance.test/secret-version"
)

// sites makes a Deployment of each ConfigMap that is a site, and writes to the ConfigMap how many replicas are ready.
// A Secret with the site's name is what the pods depend on: its version goes into their template.
type sites struct {
	client.Client
	recorder   events.EventRecorder
	reconciles atomic.Int64
}

func (s *sites) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	defer s.reconciles.Add(1)
	var site corev1.ConfigMap
	if err := s.Get(ctx, request.NamespacedName, &site); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if site.DeletionTimestamp != nil {
		return reconcile.Result{}, s.finalize(ctx, &site)
	}
	before := site.DeepCopy()
	if controllerutil.AddFinalizer(&site, finalizer) {
		return reconcile.Result{}, s.Patch(ctx, &site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	wanted, err := s.deployment(ctx, &site)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := s.Apply(ctx, wanted, fieldOwner, client.ForceOwnership); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, s.report(ctx, &site)
}

func (s *sites) deployment(ctx context.Context, site *corev1.ConfigMap) (*appsapply.DeploymentApplyConfiguration, error) {
	replicas, err := strconv.Atoi(site.Data["replicas"])
	if err != nil {
		return nil, reconcile.TerminalError(err)
	}
	secret := metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}
	if err := s.Get(ctx, client.ObjectKeyFromObject(site), &secret); client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	selector := map[string]string{"site": site.Name}
	owner := metaapply.OwnerReference().WithAPIVersion("v1").WithKind("ConfigMap").WithName(site.Name).WithUID(site.UID).
		WithController(true).WithBlockOwnerDeletion(true)
	pod := coreapply.PodTemplateSpec().WithLabels(selector).WithAnnotations(map[string]string{versionAnnotation: secret.ResourceVersion}).
		WithSpec(coreapply.PodSpec().WithContainers(coreapply.Container().WithName("web").WithImage(site.Data["image"])))
	return appsapply.Deployment(site.Name, site.Namespace).WithOwnerReferences(owner).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(int32(replicas)).WithTemplate(pod).
			WithSelector(metaapply.LabelSelector().WithMatchLabels(selector))), nil
}

func (s *sites) report(ctx context.Context, site *corev1.ConfigMap) error {
	var deployment appsv1.Deployment
	if err := s.Get(ctx, client.ObjectKeyFromObject(site), &deployment); err != nil {
		return client.IgnoreNotFound(err) // The cache has not seen it yet; its arrival calls again.
	}
	ready := strconv.Itoa(int(deployment.Status.ReadyReplicas))
	if site.Annotations[readyAnnotation] == ready {
		return nil
	}
	s.recorder.Eventf(site, &deployment, corev1.EventTypeNormal, "Scaled", "Report", "%s replicas are ready", ready)
	status := coreapply.ConfigMap(site.Name, site.Namespace).WithAnnotations(map[string]string{readyAnnotation: ready})
	return s.Apply(ctx, status, fieldOwner)
}

// finalize lets the site go once its Deployment has gone.
func (s *sites) finalize(ctx context.Context, site *corev1.ConfigMap) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	if err := s.Delete(ctx, deployment); !apierrors.IsNotFound(err) {
		return err
	}
	before := site.DeepCopy()
	if !controllerutil.RemoveFinalizer(site, finalizer) {
		return nil
	}
	return client.IgnoreNotFound(s.Patch(ctx, site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}
