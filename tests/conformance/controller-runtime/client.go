package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func checkClient(ctx context.Context, m manager.Manager, direct client.Client) {
	check("cached, live, unstructured and metadata reads agree", readsAgree(ctx, m, direct))
	check("a stale write conflicts", staleConflicts(ctx, direct))
	check("retry on conflict counts exactly, read from the cache", counts(ctx, m.GetClient(), direct))
	check("create or update, create or patch", createOrUpdate(ctx, direct))
}

// ignored is not a site to the operator, though it is in its cache: its replicas are no number.
func ignored(name string) *corev1.ConfigMap {
	object := newSite(name, 0)
	object.Data = map[string]string{"replicas": "none"}
	return object
}

func readsAgree(ctx context.Context, m manager.Manager, direct client.Client) error {
	made := ignored("read")
	if err := direct.Create(ctx, made); err != nil {
		return err
	}
	untyped := &unstructured.Unstructured{}
	partial := &metav1.PartialObjectMetadata{}
	untyped.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	partial.SetGroupVersionKind(untyped.GroupVersionKind())
	ask := func() error {
		var cached, live corev1.ConfigMap
		if err := errors.Join(
			m.GetClient().Get(ctx, at("read"), &cached),
			m.GetAPIReader().Get(ctx, at("read"), &live),
			direct.Get(ctx, at("read"), untyped),
			direct.Get(ctx, at("read"), partial),
		); err != nil {
			return err
		}
		versions := []string{cached.ResourceVersion, live.ResourceVersion, untyped.GetResourceVersion(), partial.ResourceVersion}
		for _, version := range versions {
			if version != versions[0] {
				return fmt.Errorf("versions %v", versions)
			}
		}
		if value, _, _ := unstructured.NestedString(untyped.Object, "data", "replicas"); value != cached.Data["replicas"] {
			return fmt.Errorf("%s and %s", value, cached.Data["replicas"])
		}
		return nil
	}
	return errors.Join(eventually(ctx, ask), removed(ctx, direct, made))
}

// removed takes an object away that the operator has put its finalizer on.
func removed(ctx context.Context, direct client.Client, object *corev1.ConfigMap) error {
	if err := direct.Delete(ctx, object); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		err := direct.Get(ctx, client.ObjectKeyFromObject(object), object)
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is still there: %v", object.Name, err)
		}
		return nil
	})
}

func staleConflicts(ctx context.Context, direct client.Client) error {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "stale", Namespace: namespace}}
	if err := direct.Create(ctx, made); err != nil {
		return err
	}
	stale := made.DeepCopy()
	made.Data = map[string]string{"by": "first"}
	if err := direct.Update(ctx, made); err != nil {
		return err
	}
	patched := stale.DeepCopy()
	patched.Data = map[string]string{"by": "second"}
	locked := direct.Patch(ctx, patched.DeepCopy(), client.MergeFromWithOptions(stale, client.MergeFromWithOptimisticLock{}))
	updated := direct.Update(ctx, patched.DeepCopy())
	deleted := direct.Delete(ctx, made, client.Preconditions{ResourceVersion: &stale.ResourceVersion})
	for _, err := range []error{locked, updated, deleted} {
		if !apierrors.IsConflict(err) {
			return fmt.Errorf("not a conflict: %v", err)
		}
	}
	return direct.Delete(ctx, made, client.Preconditions{UID: &made.UID, ResourceVersion: &made.ResourceVersion})
}

func counts(ctx context.Context, cached, direct client.Client) error {
	counter := ignored("counter")
	counter.Data["n"] = "0"
	if err := direct.Create(ctx, counter); err != nil {
		return err
	}
	backoff := retry.DefaultBackoff
	backoff.Steps, backoff.Factor = 1000, 1
	increment := func() error {
		return retry.OnError(backoff, func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }, func() error {
			var seen corev1.ConfigMap
			if err := cached.Get(ctx, at("counter"), &seen); err != nil {
				return err
			}
			n, err := strconv.Atoi(seen.Data["n"])
			if err != nil {
				return err
			}
			seen.Data["n"] = strconv.Itoa(n + 1)
			return cached.Update(ctx, &seen)
		})
	}
	errs := make([]error, 5)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range 5 {
				errs[i] = errors.Join(errs[i], increment())
			}
		})
	}
	wg.Wait()
	var read corev1.ConfigMap
	if err := errors.Join(append(errs, direct.Get(ctx, at("counter"), &read))...); err != nil {
		return err
	}
	if read.Data["n"] != "25" {
		return fmt.Errorf("counted %s of 25", read.Data["n"])
	}
	return removed(ctx, direct, &read)
}

func createOrUpdate(ctx context.Context, direct client.Client) error {
	object := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "made", Namespace: namespace}}
	set := func(port int32) controllerutil.MutateFn {
		return func() error {
			object.Spec.Selector = map[string]string{"app": "made"}
			if len(object.Spec.Ports) == 0 {
				object.Spec.Ports = []corev1.ServicePort{{Name: "http"}}
			}
			object.Spec.Ports[0].Port = port
			return nil
		}
	}
	steps := []struct {
		run  func(context.Context, client.Client, client.Object, controllerutil.MutateFn) (controllerutil.OperationResult, error)
		port int32
		want controllerutil.OperationResult
	}{
		{controllerutil.CreateOrUpdate, 80, controllerutil.OperationResultCreated},
		{controllerutil.CreateOrUpdate, 80, controllerutil.OperationResultNone},
		{controllerutil.CreateOrUpdate, 81, controllerutil.OperationResultUpdated},
		{controllerutil.CreateOrPatch, 81, controllerutil.OperationResultNone},
		{controllerutil.CreateOrPatch, 82, controllerutil.OperationResultUpdated},
	}
	for i, step := range steps {
		result, err := step.run(ctx, direct, object, set(step.port))
		if err != nil || result != step.want {
			return fmt.Errorf("step %d: %s, not %s (%v)", i, result, step.want, err)
		}
	}
	if object.Spec.Ports[0].Port != 82 || object.Spec.ClusterIP == "" {
		return fmt.Errorf("the service is %+v", object.Spec)
	}
	return direct.Delete(ctx, object)
}
