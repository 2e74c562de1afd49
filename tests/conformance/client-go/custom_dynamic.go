package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func (s ships) ship(name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(s.resource.GroupVersion().String())
	object.SetKind("Ship")
	object.SetName(name)
	object.SetLabels(map[string]string{"fleet": "test"})
	return object
}

func (s ships) dynamic() error {
	wanted := s.ship("a", map[string]any{"crew": int64(3), "unknown": "x", "any": map[string]any{"kept": 1.5}, "port": "http"})
	made, err := s.objects.Create(s.ctx, wanted, metav1.CreateOptions{FieldManager: "creator"})
	if err != nil {
		return err
	}
	if err := same("created", made.Object["spec"], map[string]any{
		"crew": int64(3), "home": "harbour", "any": map[string]any{"kept": 1.5}, "port": "http",
	}); err != nil {
		return err
	}
	_, err = s.objects.Create(s.ctx, wanted, metav1.CreateOptions{})
	if err := refused("create twice", err, apierrors.IsAlreadyExists); err != nil {
		return err
	}
	_, err = s.objects.Create(s.ctx, s.ship("b", map[string]any{"crew": int64(100)}), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) || !strings.HasSuffix(err.Error(), "spec.crew: Forbidden: no room") {
		return fmt.Errorf("a crew of 100: %v", err)
	}
	stale := made.DeepCopy()
	if made, err = s.objects.Patch(s.ctx, "a", types.MergePatchType, []byte(`{"spec":{"rig":"sloop"}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	_, err = s.objects.Update(s.ctx, stale, metav1.UpdateOptions{})
	if err := refused("stale update", err, apierrors.IsConflict); err != nil {
		return err
	}
	_, err = s.objects.Patch(s.ctx, "a", types.StrategicMergePatchType, []byte(`{"spec":{"rig":"ketch"}}`), metav1.PatchOptions{})
	if err := refused("strategic merge patch", err, apierrors.IsUnsupportedMediaType); err != nil {
		return err
	}
	patch := []byte(`[{"op":"test","path":"/spec/rig","value":"sloop"},{"op":"replace","path":"/spec/rig","value":"ketch"}]`)
	if made, err = s.objects.Patch(s.ctx, "a", types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	if _, err = s.objects.Patch(s.ctx, "a", types.JSONPatchType, patch, metav1.PatchOptions{}); err == nil {
		return errors.New("a test that fails was passed")
	}
	increment := func() error {
		found, err := s.objects.Get(s.ctx, "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		crew, _, _ := unstructured.NestedInt64(found.Object, "spec", "crew")
		_ = unstructured.SetNestedField(found.Object, crew+1, "spec", "crew")
		_, err = s.objects.Update(s.ctx, found, metav1.UpdateOptions{})
		return err
	}
	backoff := retry.DefaultBackoff
	backoff.Steps = 1000
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range 5 {
				errs[i] = errors.Join(errs[i], retry.RetryOnConflict(backoff, increment))
			}
		})
	}
	wg.Wait()
	found, err := s.objects.Get(s.ctx, "a", metav1.GetOptions{})
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	crew, _, _ := unstructured.NestedInt64(found.Object, "spec", "crew")
	list, err := s.objects.List(s.ctx, metav1.ListOptions{FieldSelector: "spec.home=harbour", LabelSelector: "fleet=test"})
	if err != nil {
		return err
	}
	return errors.Join(
		same("crew", crew, int64(23)),
		same("generation", found.GetGeneration(), int64(23)),
		same("listed", []any{list.GetKind(), list.GetAPIVersion(), len(list.Items)}, []any{"ShipList", s.resource.GroupVersion().String(), 1}),
		same("item", list.Items[0].Object, found.Object),
		s.objects.Delete(s.ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr(found.GetUID())}}),
	)
}

func (s ships) dynamicApply() error {
	cargo := func(name string, tons int64) map[string]any {
		return map[string]any{"cargo": []any{map[string]any{"name": name, "tons": tons}}}
	}
	apply := func(manager string, force bool, spec map[string]any) (*unstructured.Unstructured, error) {
		return s.objects.Apply(s.ctx, "applied", s.ship("applied", spec), metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	if _, err := apply("first", false, cargo("wine", 1)); err != nil {
		return err
	}
	made, err := apply("second", false, cargo("salt", 2))
	if err != nil {
		return err
	}
	loaded := func(object *unstructured.Unstructured) string {
		cargo, _, _ := unstructured.NestedSlice(object.Object, "spec", "cargo")
		return text(cargo)
	}
	if err := same("both's cargo", loaded(made), `[{"name":"wine","tons":1},{"name":"salt","tons":2}]`); err != nil {
		return err
	}
	_, err = apply("second", false, cargo("wine", 3))
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "first": .spec.cargo[name="wine"].tons`) {
		return fmt.Errorf("not a conflict: %v", err)
	}
	if made, err = apply("second", true, cargo("wine", 3)); err != nil {
		return err
	}
	if err := same("forced", loaded(made), `[{"name":"wine","tons":3}]`); err != nil {
		return err
	}
	if made, err = apply("first", false, map[string]any{}); err != nil {
		return err
	}
	if err := same("given up", loaded(made), `[{"name":"wine","tons":3}]`); err != nil {
		return err
	}
	report := s.ship("applied", cargo("sand", 9))
	report.Object["status"] = map[string]any{"crew": int64(4), "selector": "ship=applied"}
	reported, err := s.objects.ApplyStatus(s.ctx, "applied", report, metav1.ApplyOptions{FieldManager: "reporter"})
	if err != nil {
		return err
	}
	var managers []string
	for _, entry := range reported.GetManagedFields() {
		managers = append(managers, entry.Manager+" "+string(entry.Operation)+" "+entry.Subresource+" "+string(entry.FieldsV1.Raw))
	}
	slices.Sort(managers) // the server's order depends on which of them wrote in the same second
	_, err = s.objects.Apply(s.ctx, "invalid", s.ship("invalid", map[string]any{"crew": "many"}), metav1.ApplyOptions{FieldManager: "first"})
	if err == nil {
		return errors.New("a crew that is no number was applied")
	}
	return errors.Join(
		same("spec", loaded(reported), loaded(made)),
		same("generation", reported.GetGeneration(), made.GetGeneration()),
		same("status", reported.Object["status"], map[string]any{"crew": int64(4), "selector": "ship=applied"}),
		same("managers", managers, []string{
			`first Apply  {"f:metadata":{"f:labels":{"f:fleet":{}}},"f:spec":{}}`,
			`reporter Apply status {"f:status":{"f:crew":{},"f:selector":{}}}`,
			`second Apply  {"f:metadata":{"f:labels":{"f:fleet":{}}},"f:spec":{"f:cargo":{"k:{\"name\":\"wine\"}":{".":{},"f:name":{},"f:tons":{}}}}}`,
		}),
	)
}

type warnings struct{ texts []string }

func (w *warnings) HandleWarningHeader(code int, agent, text string) {
	w.texts = append(w.texts, fmt.Sprint(code, " ", agent, " ", text))
}

func (s ships) warns() error {
	config, received := rest.CopyConfig(s.config), &warnings{}
	config.WarningHandler = received
	old := s.resource
	old.Version = "v1alpha1"
	list, err := dynamic.NewForConfigOrDie(config).Resource(old).Namespace(s.namespace).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		same("warnings", received.texts, []string{fmt.Sprintf("299 - %s/v1alpha1 Ship is deprecated; use %s/v1 Ship", old.Group, old.Group)}),
		same("version", list.Items[0].GetAPIVersion(), old.Group+"/v1alpha1"),
	)
}
