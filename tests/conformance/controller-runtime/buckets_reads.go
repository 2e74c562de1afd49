package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	storagev1 "coxswain/controller-runtime-conformance/api/v1"
	storagev1beta1 "coxswain/controller-runtime-conformance/api/v1beta1"
)

func checkBucketReads(ctx context.Context, m manager.Manager, direct client.Client) {
	check("buckets are found by their fields, live and in the cache", selects(ctx, m, direct))
	check("an older version of buckets is converted", converts(ctx, direct))
	check("metadata of buckets", readsMetadata(ctx, direct))
	check("a bucket's scale", scales(ctx, direct))
	check("collections of buckets are deleted by a field", deletesCollection(ctx, direct))
}

func namesOf(list *storagev1.BucketList) string {
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func selects(ctx context.Context, m manager.Manager, direct client.Client) error {
	for _, made := range []struct {
		name, region, team string
		replicas           int32
	}{{"s1", "south", "red", 1}, {"s2", "south", "red", 2}, {"n1", "north", "red", 2}, {"n2", "north", "blue", 2}} {
		bucket := newBucket(made.name, made.region)
		bucket.Spec.Team, bucket.Spec.Replicas = made.team, &made.replicas
		if err := direct.Create(ctx, bucket); err != nil {
			return err
		}
	}
	if err := errors.Join(isReady(ctx, m.GetClient(), "n1", &storagev1.Bucket{}), isReady(ctx, m.GetClient(), "n2", &storagev1.Bucket{})); err != nil {
		return err
	}
	cases := []struct {
		reader client.Reader
		fields client.MatchingFields
		want   string
	}{
		{direct, client.MatchingFields{"spec.region": "south"}, "s1 s2"},
		{direct, client.MatchingFields{"spec.replicas": "2"}, "n1 n2 s2"},
		{direct, client.MatchingFields{"spec.replicas": "2", "spec.region": "south"}, "s2"},
		{direct, client.MatchingFields{"metadata.name": "n2"}, "n2"},
		{direct, client.MatchingFields{"spec.region": ""}, ""},
		{m.GetClient(), client.MatchingFields{"team": "red"}, "n1"},
		{m.GetClient(), client.MatchingFields{"team": "blue"}, "n2"},
	}
	for _, c := range cases {
		var list storagev1.BucketList
		if err := c.reader.List(ctx, &list, client.InNamespace(bucketNamespace), c.fields); err != nil {
			return err
		}
		if got := namesOf(&list); got != c.want {
			return fmt.Errorf("%v: %s, not %s", c.fields, got, c.want)
		}
	}
	err := direct.List(ctx, &storagev1.BucketList{}, client.MatchingFields{"spec.team": "red"})
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `field label not supported: spec.team`) {
		return fmt.Errorf("a field that is not selectable: %v", err)
	}
	return nil
}

func converts(ctx context.Context, direct client.Client) error {
	old := &storagev1beta1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "old", Namespace: bucketNamespace}}
	old.Spec.Region, old.Spec.Speed = "south", "fast"
	if err := direct.Create(ctx, old); err != nil {
		return err
	}
	// What is stored is the newer version, which does not have the field: it is pruned. Its default is for those who write.
	if old.Spec.Speed != "" {
		return fmt.Errorf("created %+v", old.Spec)
	}
	current := newBucket("old", "")
	if err := direct.Get(ctx, client.ObjectKeyFromObject(old), current); err != nil {
		return err
	}
	if current.Spec.Region != "south" || current.Spec.Class != "standard" || current.UID != old.UID || current.ResourceVersion != old.ResourceVersion {
		return fmt.Errorf("%+v", current)
	}
	current.Spec.Class = "kept"
	if err := errors.Join(direct.Update(ctx, current), direct.Get(ctx, client.ObjectKeyFromObject(old), old)); err != nil {
		return err
	}
	if old.Spec.Region != "south" || old.ResourceVersion != current.ResourceVersion {
		return fmt.Errorf("%+v", old)
	}
	return direct.Delete(ctx, old)
}

func readsMetadata(ctx context.Context, direct client.Client) error {
	partial := &metav1.PartialObjectMetadata{}
	partial.SetGroupVersionKind(storagev1.GroupVersion.WithKind("Bucket"))
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(storagev1.GroupVersion.WithKind("BucketList"))
	key := client.ObjectKey{Namespace: bucketNamespace, Name: "s1"}
	if err := errors.Join(direct.Get(ctx, key, partial), direct.List(ctx, list, client.InNamespace(bucketNamespace))); err != nil {
		return err
	}
	if partial.UID == "" || partial.Generation != 1 || len(list.Items) != 4 {
		return fmt.Errorf("%+v and %d", partial, len(list.Items))
	}
	before := partial.DeepCopy()
	partial.Labels = map[string]string{"by": "metadata"}
	if err := direct.Patch(ctx, partial, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	stale := before.DeepCopy()
	stale.Labels = map[string]string{"by": "another"}
	err := direct.Patch(ctx, stale, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if partial.Labels["by"] != "metadata" || partial.ResourceVersion == before.ResourceVersion || !apierrors.IsConflict(err) {
		return fmt.Errorf("%+v, %v", partial, err)
	}
	return nil
}

func scales(ctx context.Context, direct client.Client) error {
	bucket, scale := newBucket("n2", "north"), &autoscalingv1.Scale{}
	if err := direct.SubResource("scale").Get(ctx, bucket, scale); err != nil {
		return err
	}
	if scale.Spec.Replicas != 2 || scale.Status.Replicas != 2 || scale.Status.Selector != "bucket=n2" {
		return fmt.Errorf("%+v %+v", scale.Spec, scale.Status)
	}
	scale.Spec.Replicas = 5
	if err := direct.SubResource("scale").Update(ctx, bucket, client.WithSubResourceBody(scale)); err != nil {
		return err
	}
	stale := scale.DeepCopy()
	if err := isReady(ctx, direct, "n2", bucket); err != nil {
		return err
	}
	if *bucket.Spec.Replicas != 5 || bucket.Status.Replicas != 5 || bucket.Generation != 2 {
		return fmt.Errorf("%+v %+v", bucket.Spec, bucket.Status)
	}
	if err := direct.SubResource("scale").Update(ctx, bucket, client.WithSubResourceBody(stale)); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale scale: %v", err)
	}
	if err := direct.SubResource("scale").Get(ctx, bucket, scale); err != nil {
		return err
	}
	scale.Spec.Replicas = 10
	if got := causes(direct.SubResource("scale").Update(ctx, bucket, client.WithSubResourceBody(scale))); got != "spec.replicas Invalid" {
		return errors.New(got)
	}
	return nil
}

func deletesCollection(ctx context.Context, direct client.Client) error {
	if err := direct.DeleteAllOf(ctx, &storagev1.Bucket{}, client.InNamespace(bucketNamespace), client.MatchingFields{"spec.region": "south"}); err != nil {
		return err
	}
	var list storagev1.BucketList
	if err := direct.List(ctx, &list, client.InNamespace(bucketNamespace)); err != nil {
		return err
	}
	if got := namesOf(&list); got != "n1 n2" {
		return errors.New(got)
	}
	return direct.DeleteAllOf(ctx, &storagev1.Bucket{}, client.InNamespace(bucketNamespace))
}
