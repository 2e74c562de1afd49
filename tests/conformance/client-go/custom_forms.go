package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

func (s ships) discover() error {
	client := discovery.NewDiscoveryClientForConfigOrDie(s.config)
	list, err := client.ServerResourcesForGroupVersion(s.resource.GroupVersion().String())
	if err != nil {
		return err
	}
	var found []string
	for _, each := range list.APIResources {
		found = append(found, fmt.Sprint(each.Name, " ", each.Kind, " ", each.Group, " ", each.SingularName, " ", each.ShortNames, each.Categories, len(each.Verbs)))
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	gvk, err := mapper.KindFor(schema.GroupVersionResource{Group: s.resource.Group, Resource: "ship"})
	if err != nil {
		return err
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil || paths["apis/"+s.resource.GroupVersion().String()] == nil {
		return fmt.Errorf("no document among %d: %v", len(paths), err)
	}
	document, err := paths["apis/"+s.resource.GroupVersion().String()].Schema("application/json")
	if err != nil {
		return err
	}
	v2, err := client.OpenAPISchema()
	if err != nil {
		return err
	}
	labels := strings.Split(s.resource.Group, ".")
	slices.Reverse(labels)
	name := strings.Join(labels, ".") + ".v1.Ship"
	inV2 := false
	for _, definition := range v2.GetDefinitions().GetAdditionalProperties() {
		inV2 = inV2 || definition.GetName() == name
	}
	return errors.Join(
		same("resources", found, []string{
			"ships Ship  ship [shx] [fleet] 8",
			"ships/status Ship   [] [] 3",
			"ships/scale Scale autoscaling  [] [] 3",
		}),
		same("the mapper's kind", gvk, s.resource.GroupVersion().WithKind("Ship")),
		same("in OpenAPI v3", strings.Contains(string(document), `"`+name+`":`), true),
		same("in OpenAPI v2", inV2, true),
	)
}

// asTable are the headers with which kubectl asks.
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

func (s ships) rest() (*rest.RESTClient, error) {
	config := rest.CopyConfig(s.config)
	group := s.resource.GroupVersion()
	config.APIPath, config.GroupVersion, config.NegotiatedSerializer = "/apis", &group, serializer.WithoutConversionCodecFactory{CodecFactory: scheme.Codecs}
	return rest.RESTClientFor(config)
}

func (s ships) tables() error {
	client, err := s.rest()
	if err != nil {
		return err
	}
	var table metav1.Table
	body, err := client.Get().Namespace(s.namespace).Resource("ships").SetHeader("Accept", asTable).Do(s.ctx).Raw()
	if err := errors.Join(err, json.Unmarshal(body, &table)); err != nil {
		return err
	}
	var columns []string
	for _, column := range table.ColumnDefinitions {
		columns = append(columns, fmt.Sprint(column.Name, " ", column.Type, " ", column.Format, " ", column.Priority))
	}
	if len(table.Rows) != 1 {
		return fmt.Errorf("%d rows", len(table.Rows))
	}
	var partial metav1.PartialObjectMetadata
	return errors.Join(
		json.Unmarshal(table.Rows[0].Object.Raw, &partial),
		same("columns", columns, []string{"Name string name 0", "Home string  0", "Crew integer int32 1"}),
		same("description", table.ColumnDefinitions[2].Description, "Hands on board."),
		same("cells", table.Rows[0].Cells, []any{"applied", "harbour", nil}),
		same("object", []string{partial.Kind, partial.APIVersion, partial.Name}, []string{"PartialObjectMetadata", "meta.k8s.io/v1", "applied"}),
	)
}

func (s ships) noProtobuf() error {
	client, err := s.rest()
	if err != nil {
		return err
	}
	const protobuf = "application/vnd.kubernetes.protobuf"
	read := client.Get().Namespace(s.namespace).Resource("ships").Name("applied").SetHeader("Accept", protobuf).Do(s.ctx).Error()
	written := client.Post().Namespace(s.namespace).Resource("ships").SetHeader("Content-Type", protobuf).Body([]byte("k8s\x00")).Do(s.ctx).Error()
	var as string
	both := client.Get().Namespace(s.namespace).Resource("ships").Name("applied").SetHeader("Accept", protobuf+",application/json").Do(s.ctx).ContentType(&as)
	return errors.Join(
		refused("read", read, apierrors.IsNotAcceptable),
		refused("write", written, apierrors.IsBadRequest),
		both.Error(),
		same("what both is", as, "application/json"),
	)
}

func (s ships) scale() error {
	client := discovery.NewDiscoveryClientForConfigOrDie(s.config)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	scales, err := scale.NewForConfig(s.config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(client))
	if err != nil {
		return err
	}
	resource, ships := s.resource.GroupResource(), scales.Scales(s.namespace)
	if _, err := ships.Get(s.ctx, resource, "applied", metav1.GetOptions{}); !apierrors.IsInternalError(err) {
		return fmt.Errorf("without replicas: %v", err)
	}
	if _, err := s.objects.Patch(s.ctx, "applied", types.MergePatchType, []byte(`{"spec":{"crew":5}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	found, err := ships.Get(s.ctx, resource, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := same("scale", []any{found.Spec.Replicas, found.Status.Replicas, found.Status.Selector}, []any{int32(5), int32(4), "ship=applied"}); err != nil {
		return err
	}
	stale := found.DeepCopy()
	found.Spec.Replicas = 6
	updated, err := ships.Update(s.ctx, resource, found, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	_, staleErr := ships.Update(s.ctx, resource, stale, metav1.UpdateOptions{})
	patched, err := ships.Patch(s.ctx, s.resource, "applied", types.MergePatchType, []byte(`{"spec":{"replicas":7}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	_, invalidErr := ships.Patch(s.ctx, s.resource, "applied", types.MergePatchType, []byte(`{"spec":{"replicas":-1}}`), metav1.PatchOptions{})
	return errors.Join(
		same("updated and patched", []int32{updated.Spec.Replicas, patched.Spec.Replicas}, []int32{6, 7}),
		refused("stale update", staleErr, apierrors.IsConflict),
		refused("negative replicas", invalidErr, apierrors.IsInvalid),
	)
}

// remove deletes the definition while one object has a finalizer, and then takes that away.
func (s ships) remove() error {
	held := s.ship("held", map[string]any{})
	held.SetFinalizers([]string{"conformance.test/hold"})
	if _, err := s.objects.Create(s.ctx, held, metav1.CreateOptions{}); err != nil {
		return err
	}
	stream, err := s.objects.Watch(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer stream.Stop()
	if err := s.definitions.Delete(s.ctx, s.name(), metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := s.awaitDefinition(func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		return apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Terminating)
	}); err != nil {
		return err
	}
	_, err = s.objects.Create(s.ctx, s.ship("late", map[string]any{}), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !strings.HasSuffix(err.Error(), "create not allowed while custom resource definition is terminating") {
		return fmt.Errorf("a late creation: %v", err)
	}
	if err := s.until("the others are gone", func() bool {
		list, err := s.objects.List(s.ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 1 && list.Items[0].GetName() == "held" && list.Items[0].GetDeletionTimestamp() != nil
	}); err != nil {
		return err
	}
	if _, err := s.objects.Patch(s.ctx, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := s.until("the definition is gone", func() bool {
		_, err := s.definitions.Get(s.ctx, s.name(), metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}); err != nil {
		return err
	}
	// The objects of a collection are deleted beside each other: only each one's own events have an order.
	events := map[bool][]string{}
	for event := range stream.ResultChan() {
		object, err := meta.Accessor(event.Object)
		if err != nil {
			return err
		}
		isHeld := object.GetName() == "held"
		events[isHeld] = append(events[isHeld], string(event.Type))
	}
	_, listErr := s.objects.List(s.ctx, metav1.ListOptions{})
	_, discoveryErr := discovery.NewDiscoveryClientForConfigOrDie(s.config).ServerResourcesForGroupVersion(s.resource.GroupVersion().String())
	return errors.Join(
		same("events of what was held", events[true], []string{"ADDED", "MODIFIED", "DELETED"}),
		same("events of the other", events[false], []string{"ADDED", "DELETED"}),
		refused("a list", listErr, apierrors.IsNotFound),
		refused("discovery", discoveryErr, apierrors.IsNotFound),
	)
}

func (s ships) until(what string, is func() bool) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return nil
		}
	}
	return errors.New("never: " + what)
}
