package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	storagev1 "coxswain/controller-runtime-conformance/api/v1"
)

const (
	bucketFinalizer = "storage.conformance.test/outside"
	bucketOwner     = client.FieldOwner("bucket-operator")
)

// buckets keeps something outside of the cluster for each bucket of the north, and a ConfigMap that says where it is.
type buckets struct {
	client.Client
	outside    sync.Map // what there is outside: its class, by the bucket's name
	reconciles sync.Map // how many have begun, by the bucket's name: *atomic.Int64
}

// startBuckets starts a manager whose cache has the buckets of the north only.
func startBuckets(ctx context.Context, restConfig *rest.Config, scheme *runtime.Scheme) (manager.Manager, *buckets, error) {
	skip := true
	north := fields.OneTermEqualSelector("spec.region", "north")
	made, err := manager.New(restConfig, manager.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{bucketNamespace: {}},
			ByObject:          map[client.Object]cache.ByObject{&storagev1.Bucket{}: {Field: north}},
		},
		Controller: config.Controller{SkipNameValidation: &skip, MaxConcurrentReconciles: 4},
	})
	if err != nil {
		return nil, nil, err
	}
	teamOf := func(object client.Object) []string { return []string{object.(*storagev1.Bucket).Spec.Team} }
	if err := made.GetFieldIndexer().IndexField(ctx, &storagev1.Bucket{}, "team", teamOf); err != nil {
		return nil, nil, err
	}
	reconciler := &buckets{Client: made.GetClient()}
	if err := ctrl.NewControllerManagedBy(made).
		For(&storagev1.Bucket{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(siteOfSecret), builder.WithPredicates(predicate.LabelChangedPredicate{})).
		Complete(reconciler); err != nil {
		return nil, nil, err
	}
	go func() {
		if err := made.Start(ctx); err != nil && ctx.Err() == nil {
			check("the manager of buckets ends in order", err)
		}
	}()
	return made, reconciler, nil
}

func (b *buckets) count(name string) *atomic.Int64 {
	found, _ := b.reconciles.LoadOrStore(name, new(atomic.Int64))
	return found.(*atomic.Int64)
}

func (b *buckets) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	b.count(request.Name).Add(1)
	var bucket storagev1.Bucket
	if err := b.Get(ctx, request.NamespacedName, &bucket); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !bucket.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, b.finalize(ctx, &bucket)
	}
	before := bucket.DeepCopy()
	if controllerutil.AddFinalizer(&bucket, bucketFinalizer) {
		if err := b.Patch(ctx, &bucket, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return reconcile.Result{}, err
		}
	}
	b.outside.Store(bucket.Name, bucket.Spec.Class)
	if err := b.Apply(ctx, coordinates(&bucket), bucketOwner, client.ForceOwnership); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, b.report(ctx, &bucket)
}

// coordinates is the ConfigMap that the bucket owns.
func coordinates(bucket *storagev1.Bucket) *coreapply.ConfigMapApplyConfiguration {
	owner := metaapply.OwnerReference().WithAPIVersion(storagev1.GroupVersion.String()).WithKind("Bucket").WithName(bucket.Name).
		WithUID(bucket.UID).WithController(true).WithBlockOwnerDeletion(true)
	return coreapply.ConfigMap(bucket.Name, bucket.Namespace).WithOwnerReferences(owner).
		WithData(map[string]string{"class": bucket.Spec.Class, "replicas": fmt.Sprint(*bucket.Spec.Replicas)})
}

func (b *buckets) report(ctx context.Context, bucket *storagev1.Bucket) error {
	before := bucket.DeepCopy()
	bucket.Status.ObservedGeneration = bucket.Generation
	bucket.Status.Replicas = *bucket.Spec.Replicas
	bucket.Status.Selector = "bucket=" + bucket.Name
	meta.SetStatusCondition(&bucket.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Found", ObservedGeneration: bucket.Generation,
	})
	return b.Status().Patch(ctx, bucket, client.MergeFrom(before), bucketOwner)
}

// finalize takes away what is outside before it lets the bucket go.
func (b *buckets) finalize(ctx context.Context, bucket *storagev1.Bucket) error {
	b.outside.Delete(bucket.Name)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := b.Get(ctx, client.ObjectKeyFromObject(bucket), bucket); err != nil {
			return client.IgnoreNotFound(err)
		}
		if !controllerutil.RemoveFinalizer(bucket, bucketFinalizer) {
			return nil
		}
		return client.IgnoreNotFound(b.Update(ctx, bucket, bucketOwner))
	})
}
