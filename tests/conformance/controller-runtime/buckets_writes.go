package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	storagev1 "coxswain/controller-runtime-conformance/api/v1"
)

// The buckets here are in the south, where no operator writes to them.
func checkBucketWrites(ctx context.Context, direct client.Client) {
	check("a bucket is pruned and defaulted", prunes(ctx, direct))
	check("unknown fields are refused strictly", refusesUnknown(ctx, direct))
	check("everything wrong with a bucket is reported as causes", reportsCauses(ctx, direct))
	check("rules refuse with their reason and path", keepsRules(ctx, direct))
	check("a bucket's spec and status are written apart", writesApart(ctx, direct))
	check("a stale write to a bucket conflicts", conflictsOnBucket(ctx, direct))
	check("retries on conflict count exactly in a status", countsInStatus(ctx, direct))
	check("appliers of a bucket share, conflict and give up", appliesBucket(ctx, direct))
	check("an applied status has its own manager", appliesStatus(ctx, direct))
}

// bucketOf is a bucket as it is written by hand: with fields that its type does not have.
func bucketOf(name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(storagev1.GroupVersion.WithKind("Bucket"))
	object.SetNamespace(bucketNamespace)
	object.SetName(name)
	return object
}

func prunes(ctx context.Context, direct client.Client) error {
	object := bucketOf("pruned", map[string]any{
		"region": "south", "size": "10%", "unknown": map[string]any{"a": int64(1)},
		"options": map[string]any{"kept": map[string]any{"deep": true}},
		"grants":  []any{map[string]any{"name": "a", "other": "x"}, map[string]any{"name": "b", "verbs": []any{"write"}}},
		"minimum": nil, "class": nil,
	})
	object.Object["status"] = map[string]any{"replicas": int64(7)}
	object.Object["other"] = "top"
	if err := direct.Create(ctx, object); err != nil {
		return err
	}
	want := map[string]any{
		"region": "south", "size": "10%", "class": "standard", "replicas": int64(1),
		"options": map[string]any{"kept": map[string]any{"deep": true}},
		"grants":  []any{map[string]any{"name": "a", "verbs": []any{"read"}}, map[string]any{"name": "b", "verbs": []any{"write"}}},
	}
	if !reflect.DeepEqual(object.Object["spec"], want) || object.Object["status"] != nil || object.Object["other"] != nil {
		return fmt.Errorf("%v", object.Object)
	}
	typed := &storagev1.Bucket{}
	if err := direct.Get(ctx, client.ObjectKeyFromObject(object), typed); err != nil {
		return err
	}
	if size := typed.Spec.Size; size == nil || *size != intstr.FromString("10%") || string(typed.Spec.Options.Raw) != `{"kept":{"deep":true}}` {
		return fmt.Errorf("%+v", typed.Spec)
	}
	return direct.Delete(ctx, typed)
}

func refusesUnknown(ctx context.Context, direct client.Client) error {
	strict := client.WithFieldValidation(direct, metav1.FieldValidationStrict)
	err := strict.Create(ctx, bucketOf("strict", map[string]any{"region": "south", "unknown": "x"}))
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `strict decoding error: unknown field "spec.unknown"`) {
		return fmt.Errorf("%v", err)
	}
	return nil
}

// causes are those of an Invalid status, sorted: type and field.
func causes(err error) string {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !apierrors.IsInvalid(err) || !ok || status.Status().Details.Kind != "Bucket" {
		return fmt.Sprintf("not an invalid bucket: %v", err)
	}
	var texts []string
	for _, cause := range status.Status().Details.Causes {
		texts = append(texts, fmt.Sprintf("%s %s", cause.Field, cmp.Or(strings.TrimPrefix(string(cause.Type), "FieldValue"), "?")))
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

func reportsCauses(ctx context.Context, direct client.Client) error {
	cases := []struct {
		spec map[string]any
		want string
	}{
		{map[string]any{}, "<nil> Invalid, spec.region Required"},
		{map[string]any{"region": "west", "team": "UPPER", "replicas": int64(12)},
			"<nil> Invalid, spec.region NotSupported, spec.replicas Invalid, spec.team Invalid"},
		{map[string]any{"region": "south", "replicas": "many", "grants": []any{map[string]any{"name": ""}}},
			".spec.replicas Invalid, <nil> Invalid, spec.grants[0].name Invalid, spec.replicas TypeInvalid"},
		{map[string]any{"region": "south", "team": strings.Repeat("a", 21)}, "<nil> Invalid, spec.team TooLong"},
		{map[string]any{"region": "south", "grants": []any{map[string]any{"name": "a"}, map[string]any{"name": "a"}}}, "spec.grants[1] Duplicate"},
		{map[string]any{"region": "south", "minimum": int64(2)}, "spec.replicas Forbidden"},
	}
	var errs []error
	for _, c := range cases {
		if got := causes(direct.Create(ctx, bucketOf("wrong", c.spec))); got != c.want {
			errs = append(errs, fmt.Errorf("%v: %s, not %s", c.spec, got, c.want))
		}
	}
	return errors.Join(errs...)
}

func keepsRules(ctx context.Context, direct client.Client) error {
	bucket := newBucket("ruled", "south")
	if err := direct.Create(ctx, bucket); err != nil {
		return err
	}
	moved, fewer := bucket.DeepCopy(), bucket.DeepCopy()
	moved.Spec.Region = "north"
	err := direct.Update(ctx, moved)
	if got := causes(err); got != "spec.region Invalid" || !strings.HasSuffix(err.Error(), ": a bucket never moves") {
		return fmt.Errorf("%s (%v)", got, err)
	}
	minimum := int32(3)
	fewer.Spec.Minimum = &minimum
	err = direct.Patch(ctx, fewer, client.MergeFrom(bucket))
	if got := causes(err); got != "spec.replicas Forbidden" || !strings.HasSuffix(err.Error(), ": fewer replicas than the minimum") {
		return fmt.Errorf("%s (%v)", got, err)
	}
	return direct.Delete(ctx, bucket)
}

func writesApart(ctx context.Context, direct client.Client) error {
	bucket := newBucket("apart", "south")
	if err := direct.Create(ctx, bucket); err != nil {
		return err
	}
	bucket.Status.Selector, bucket.Spec.Team = "a=b", "sailors"
	if err := direct.Update(ctx, bucket); err != nil {
		return err
	}
	if bucket.Status.Selector != "" || bucket.Spec.Team != "sailors" || bucket.Generation != 2 {
		return fmt.Errorf("a write of the spec made %+v", bucket)
	}
	before := bucket.DeepCopy()
	bucket.Status.Selector, bucket.Spec.Team = "a=b", "others"
	bucket.Labels = map[string]string{"a": "b"}
	if err := direct.Status().Update(ctx, bucket); err != nil {
		return err
	}
	if bucket.Status.Selector != "a=b" || bucket.Spec.Team != "sailors" || bucket.Generation != 2 || bucket.Labels != nil {
		return fmt.Errorf("a write of the status made %+v", bucket)
	}
	if err := direct.Status().Update(ctx, before); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale write of the status: %v", err)
	}
	meta.SetStatusCondition(&bucket.Status.Conditions, metav1.Condition{Type: "Ready", Status: "Perhaps", Reason: "Found"})
	if got := causes(direct.Status().Update(ctx, bucket)); got != "<nil> Invalid, status.conditions[0].status NotSupported" {
		return errors.New(got)
	}
	return direct.Delete(ctx, bucket)
}

func conflictsOnBucket(ctx context.Context, direct client.Client) error {
	bucket := newBucket("stale", "south")
	if err := direct.Create(ctx, bucket); err != nil {
		return err
	}
	stale, unversioned := bucket.DeepCopy(), bucket.DeepCopy()
	bucket.Spec.Team = "first"
	if err := direct.Update(ctx, bucket); err != nil {
		return err
	}
	patched := stale.DeepCopy()
	patched.Spec.Team = "second"
	const want = `Operation cannot be fulfilled on buckets.storage.conformance.test "stale": the object has been modified; ` +
		"please apply your changes to the latest version and try again"
	for _, err := range []error{
		direct.Update(ctx, patched.DeepCopy()),
		direct.Patch(ctx, patched.DeepCopy(), client.MergeFromWithOptions(stale, client.MergeFromWithOptimisticLock{})),
	} {
		if !apierrors.IsConflict(err) || err.Error() != want {
			return fmt.Errorf("not this conflict: %v", err)
		}
	}
	// Unlike most built-in kinds, custom resources are not replaced by those who have not seen them.
	unversioned.ResourceVersion = ""
	err := direct.Update(ctx, unversioned)
	if !apierrors.IsInvalid(err) || !strings.HasSuffix(err.Error(), "metadata.resourceVersion: Invalid value: 0: must be specified for an update") {
		return fmt.Errorf("without a version: %v", err)
	}
	return direct.Delete(ctx, bucket, client.Preconditions{UID: &bucket.UID, ResourceVersion: &bucket.ResourceVersion})
}

func countsInStatus(ctx context.Context, direct client.Client) error {
	counter := newBucket("counter", "south")
	if err := direct.Create(ctx, counter); err != nil {
		return err
	}
	backoff := retry.DefaultBackoff
	backoff.Steps, backoff.Factor = 1000, 1
	errs := make([]error, 5)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range 5 {
				errs[i] = errors.Join(errs[i], retry.RetryOnConflict(backoff, func() error {
					var seen storagev1.Bucket
					if err := direct.Get(ctx, client.ObjectKeyFromObject(counter), &seen); err != nil {
						return err
					}
					seen.Status.Replicas++
					return direct.Status().Update(ctx, &seen)
				}))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(append(errs, direct.Get(ctx, client.ObjectKeyFromObject(counter), counter))...); err != nil {
		return err
	}
	if counter.Status.Replicas != 25 || counter.Generation != 1 {
		return fmt.Errorf("counted %d of 25 at generation %d", counter.Status.Replicas, counter.Generation)
	}
	return direct.Delete(ctx, counter)
}

func appliesBucket(ctx context.Context, direct client.Client) error {
	grant := func(name string) []any { return []any{map[string]any{"name": name}} }
	by := func(owner, class, name string, options ...client.ApplyOption) error {
		wanted := client.ApplyConfigurationFromUnstructured(bucketOf("applied", map[string]any{"region": "south", "class": class, "grants": grant(name)}))
		return direct.Apply(ctx, wanted, append(options, client.FieldOwner(owner))...)
	}
	if err := errors.Join(by("first", "fast", "a"), by("second", "fast", "b")); err != nil {
		return err
	}
	bucket := newBucket("applied", "south")
	names := func() string {
		if err := direct.Get(ctx, client.ObjectKeyFromObject(bucket), bucket); err != nil {
			return err.Error()
		}
		var names []string
		for _, each := range bucket.Spec.Grants {
			names = append(names, each.Name+"="+strings.Join(each.Verbs, "+"))
		}
		return bucket.Spec.Class + " " + strings.Join(names, " ")
	}
	if got := names(); got != "fast a=read b=read" {
		return errors.New(got)
	}
	version := bucket.ResourceVersion
	err := by("second", "slow", "b")
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "first": .spec.class`) {
		return fmt.Errorf("not a conflict: %v", err)
	}
	if err := by("second", "fast", "b"); err != nil {
		return err
	}
	if names(); bucket.ResourceVersion != version {
		return errors.New("what changes nothing is not a write")
	}
	if err := by("second", "slow", "c", client.ForceOwnership); err != nil {
		return err
	}
	if got := names(); got != "slow a=read c=read" {
		return errors.New(got)
	}
	return direct.Delete(ctx, bucket)
}

func appliesStatus(ctx context.Context, direct client.Client) error {
	bucket := newBucket("reported", "south")
	if err := direct.Create(ctx, bucket, client.FieldOwner("creator")); err != nil {
		return err
	}
	object := bucketOf("reported", map[string]any{"region": "north"})
	object.Object["status"] = map[string]any{"replicas": int64(3), "conditions": []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "Found", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
	}}}
	if err := direct.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("reporter")); err != nil {
		return err
	}
	if err := direct.Get(ctx, client.ObjectKeyFromObject(bucket), bucket); err != nil {
		return err
	}
	var managers []string
	for _, entry := range bucket.ManagedFields {
		managers = append(managers, fmt.Sprintf("%s %s %s %s", entry.Manager, entry.Operation, entry.APIVersion, entry.Subresource))
	}
	want := []string{"reporter Apply storage.conformance.test/v1 status", "creator Update storage.conformance.test/v1 "}
	if !slices.Equal(managers, want) || bucket.Status.Replicas != 3 || bucket.Spec.Region != "south" || bucket.Generation != 1 {
		return fmt.Errorf("%v %+v", managers, bucket)
	}
	const fields = `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},` +
		`"f:status":{},"f:type":{}}},"f:replicas":{}}}`
	if got := string(bucket.ManagedFields[0].FieldsV1.Raw); got != fields {
		return fmt.Errorf("manages %s", got)
	}
	return direct.Delete(ctx, bucket)
}
