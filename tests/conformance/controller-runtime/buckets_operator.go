package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	storagev1 "coxswain/controller-runtime-conformance/api/v1"
)

func checkBucketOperator(ctx context.Context, m manager.Manager, operator *buckets, direct client.Client) {
	check("the operator makes what a bucket needs and reports", convergesBucket(ctx, operator, direct))
	check("reports do not reconcile again", isQuiet(ctx, operator, direct))
	check("what is owned comes back when it is deleted or changed", corrects(ctx, direct))
	check("a labelled secret reconciles its bucket", followsSecret(ctx, operator, direct))
	check("a bucket that the cache does not select is left alone", leavesAlone(ctx, m, operator, direct))
	check("the finalizer runs before a bucket goes", finalizesBucket(ctx, operator, direct))
}

func convergesBucket(ctx context.Context, operator *buckets, direct client.Client) error {
	bucket := newBucket("main", "north")
	if err := direct.Create(ctx, bucket); err != nil {
		return err
	}
	if bucket.Generation != 1 || bucket.Spec.Class != "standard" || bucket.Spec.Replicas == nil || *bucket.Spec.Replicas != 1 {
		return fmt.Errorf("created %+v", bucket)
	}
	if err := isReady(ctx, direct, "main", bucket); err != nil {
		return err
	}
	if bucket.Generation != 1 || !slices.Equal(bucket.Finalizers, []string{bucketFinalizer}) {
		return fmt.Errorf("generation %d, finalizers %v", bucket.Generation, bucket.Finalizers)
	}
	bucket.Spec.Class = "fast"
	if err := direct.Update(ctx, bucket); err != nil {
		return err
	}
	if err := isReady(ctx, direct, "main", bucket); err != nil {
		return err
	}
	class, _ := operator.outside.Load("main")
	if bucket.Generation != 2 || class != "fast" {
		return fmt.Errorf("generation %d, %v outside", bucket.Generation, class)
	}
	return owns(ctx, direct, bucket, "fast")
}

func owns(ctx context.Context, direct client.Client, bucket *storagev1.Bucket, class string) error {
	return eventually(ctx, func() error {
		var owned corev1.ConfigMap
		if err := direct.Get(ctx, client.ObjectKeyFromObject(bucket), &owned); err != nil {
			return err
		}
		if !metav1.IsControlledBy(&owned, bucket) || owned.Data["class"] != class {
			return fmt.Errorf("owners %+v, data %v", owned.OwnerReferences, owned.Data)
		}
		return nil
	})
}

// passes returns once the operator has seen all that happened before: a bucket of its own, and the ConfigMap of that.
func passes(ctx context.Context, operator *buckets, direct client.Client, name string) error {
	if err := direct.Create(ctx, newBucket(name, "north")); err != nil {
		return err
	}
	return errors.Join(eventually(ctx, func() error {
		if seen := operator.count(name).Load(); seen < 2 {
			return fmt.Errorf("%d reconciles of %s", seen, name)
		}
		return nil
	}), direct.Delete(ctx, newBucket(name, "north")))
}

func isQuiet(ctx context.Context, operator *buckets, direct client.Client) error {
	var before, after storagev1.Bucket
	if err := errors.Join(isReady(ctx, direct, "main", &before), passes(ctx, operator, direct, "before")); err != nil {
		return err
	}
	count := operator.count("main").Load()
	relabelled := before.DeepCopy()
	relabelled.Labels = map[string]string{"note": "metadata"}
	if err := direct.Patch(ctx, relabelled, client.MergeFrom(&before)); err != nil {
		return err
	}
	if err := errors.Join(passes(ctx, operator, direct, "after"), isReady(ctx, direct, "main", &after)); err != nil {
		return err
	}
	if more := operator.count("main").Load() - count; more != 0 || after.Generation != before.Generation {
		return fmt.Errorf("%d more, generation %d and %d", more, before.Generation, after.Generation)
	}
	return nil
}

func corrects(ctx context.Context, direct client.Client) error {
	var bucket storagev1.Bucket
	var owned corev1.ConfigMap
	if err := errors.Join(isReady(ctx, direct, "main", &bucket), direct.Get(ctx, client.ObjectKeyFromObject(&bucket), &owned)); err != nil {
		return err
	}
	owned.Data["class"] = "drifted"
	if err := errors.Join(direct.Update(ctx, &owned), owns(ctx, direct, &bucket, "fast"), direct.Delete(ctx, &owned)); err != nil {
		return err
	}
	return owns(ctx, direct, &bucket, "fast")
}

func followsSecret(ctx context.Context, operator *buckets, direct client.Client) error {
	object := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "main", Namespace: bucketNamespace}}
	count := operator.count("main").Load()
	if err := direct.Create(ctx, object); err != nil {
		return err
	}
	object.Labels = map[string]string{"rotated": "yes"}
	if err := direct.Update(ctx, object); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		if more := operator.count("main").Load() - count; more < 1 {
			return fmt.Errorf("%d more reconciles", more)
		}
		return nil
	})
}

func leavesAlone(ctx context.Context, m manager.Manager, operator *buckets, direct client.Client) error {
	south, north := newBucket("south", "south"), newBucket("north", "north")
	if err := errors.Join(direct.Create(ctx, south), direct.Create(ctx, north)); err != nil {
		return err
	}
	if err := isReady(ctx, m.GetClient(), "north", north); err != nil {
		return err
	}
	_, isOutside := operator.outside.Load("south")
	err := m.GetClient().Get(ctx, client.ObjectKeyFromObject(south), south.DeepCopy())
	if isOutside || !apierrors.IsNotFound(err) {
		return fmt.Errorf("outside %t, in the cache %v", isOutside, err)
	}
	return errors.Join(direct.Delete(ctx, south), direct.Delete(ctx, north))
}

func finalizesBucket(ctx context.Context, operator *buckets, direct client.Client) error {
	bucket := newBucket("main", "north")
	if err := direct.Delete(ctx, bucket, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		return err
	}
	err := eventually(ctx, func() error {
		if err := direct.Get(ctx, client.ObjectKeyFromObject(bucket), bucket); !apierrors.IsNotFound(err) {
			return fmt.Errorf("still there: %v, %v", err, bucket.Finalizers)
		}
		return nil
	})
	if _, isOutside := operator.outside.Load("main"); isOutside {
		err = errors.Join(err, errors.New("it is still there outside"))
	}
	return err
}
