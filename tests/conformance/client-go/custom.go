package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsapply "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	watchtools "k8s.io/client-go/tools/watch"
)

// ships is one CustomResourceDefinition, in a group of its own, with those who use what it defines.
type ships struct {
	ctx         context.Context
	config      *rest.Config
	definitions apiextensionsclient.CustomResourceDefinitionInterface
	resource    schema.GroupVersionResource
	namespace   string
	objects     dynamic.ResourceInterface
}

// checkCustom runs with JSON and with protobuf for what has a protobuf form: definitions do, what they define does not.
func checkCustom(ctx context.Context, config *rest.Config, contentType, ns string, name func(string) string) {
	typed := rest.CopyConfig(config)
	typed.ContentType, typed.AcceptContentTypes = contentType, contentType
	resource := schema.GroupVersionResource{Group: ns + ".conformance.test", Version: "v1", Resource: "ships"}
	s := ships{
		ctx: ctx, config: config, resource: resource, namespace: ns,
		definitions: apiextensions.NewForConfigOrDie(typed).ApiextensionsV1().CustomResourceDefinitions(),
		objects:     dynamic.NewForConfigOrDie(config).Resource(resource).Namespace(ns),
	}
	check(name("a definition is established"), s.define())
	check(name("a definition survives the round trip"), s.roundTrip())
	check(name("a definition applies, and its status is patched"), s.applyDefinition())
	check(name("a definition whose names are taken is not served"), s.namesConflict())
	check(name("a definition that is wrong is refused with causes"), s.refuseDefinition())
	check(name("discovery and OpenAPI tell of custom resources"), s.discover())
	check(name("dynamic: create, update, patch, list, delete"), s.dynamic())
	check(name("dynamic: apply, and apply to the status"), s.dynamicApply())
	check(name("dynamic: informers see every change"), s.dynamicInformer())
	check(name("dynamic: a deprecated version warns"), s.warns())
	check(name("metadata: get, list, patch, watch"), s.metadata())
	check(name("metadata: informers see every change"), s.metadataInformer())
	check(name("tables of custom resources"), s.tables())
	check(name("custom resources have no protobuf"), s.noProtobuf())
	check(name("scale by discovery"), s.scale())
	check(name("deletion of a definition waits for finalizers"), s.remove())
}

func ptr[T any](value T) *T { return &value }

func (s ships) definition(plural, kind string) *apiextensionsv1.CustomResourceDefinition {
	text, number := apiextensionsv1.JSONSchemaProps{Type: "string"}, apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int32"}
	home := apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"harbour"`)}, Nullable: true}
	sails := apiextensionsv1.JSONSchemaProps{Type: "integer", Minimum: ptr(0.5), Maximum: ptr(1e3), MultipleOf: ptr(1.0)}
	cargo := apiextensionsv1.JSONSchemaProps{
		Type: "array", XListType: ptr("map"), XListMapKeys: []string{"name"}, MaxItems: ptr(int64(9)),
		Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Required: []string{"name"},
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": text, "tons": number},
		}},
	}
	flags := apiextensionsv1.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &text}}
	rig := apiextensionsv1.JSONSchemaProps{
		Type: "string", Pattern: "^[a-z]+$", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"sloop"`)}, {Raw: []byte(`"ketch"`)}},
	}
	spec := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"home": home, "sails": sails, "cargo": cargo, "flags": flags, "rig": rig, "crew": number,
		"any": {XPreserveUnknownFields: ptr(true)}, "port": {XIntOrString: true},
	}, XValidations: apiextensionsv1.ValidationRules{{
		Rule: "!has(self.crew) || self.crew < 100", MessageExpression: "self.crew > 1000 ? 'no room at all' : 'no room'",
		Reason: ptr(apiextensionsv1.FieldValueForbidden), FieldPath: ".crew",
	}}}
	status := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"crew": number, "selector": text}}
	version := apiextensionsv1.CustomResourceDefinitionVersion{
		Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "status": status},
		}},
		Subresources: &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
			Scale: &apiextensionsv1.CustomResourceSubresourceScale{
				SpecReplicasPath: ".spec.crew", StatusReplicasPath: ".status.crew", LabelSelectorPath: ptr(".status.selector"),
			},
		},
		AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{
			{Name: "Home", Type: "string", JSONPath: ".spec.home"},
			{Name: "Crew", Type: "integer", Format: "int32", JSONPath: ".spec.crew", Priority: 1, Description: "Hands on board."},
		},
		SelectableFields: []apiextensionsv1.SelectableField{{JSONPath: ".spec.home"}},
	}
	old := *version.DeepCopy()
	old.Name, old.Storage, old.Deprecated = "v1alpha1", false, true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + s.resource.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: s.resource.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind, ShortNames: []string{plural[:2] + "x"}},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version, old},
		},
	}
}

func (s ships) name() string { return "ships." + s.resource.Group }

func (s ships) define() error {
	if _, err := s.definitions.Create(s.ctx, s.definition("ships", "Ship"), metav1.CreateOptions{}); err != nil {
		return err
	}
	return s.awaitDefinition(func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		return apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established)
	})
}

// awaitDefinition follows the definition as controllers do, from a list of it on.
func (s ships) awaitDefinition(done func(*apiextensionsv1.CustomResourceDefinition) bool) error {
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", s.name()).String()}
	list, err := s.definitions.List(ctx, options)
	if err != nil || len(list.Items) == 1 && done(&list.Items[0]) {
		return err
	}
	options.ResourceVersion = list.ResourceVersion
	stream, err := s.definitions.Watch(ctx, options)
	if err != nil {
		return err
	}
	_, err = watchtools.UntilWithoutRetry(ctx, stream, func(event watch.Event) (bool, error) {
		crd, ok := event.Object.(*apiextensionsv1.CustomResourceDefinition)
		if !ok {
			return false, fmt.Errorf("%s %+v", event.Type, event.Object)
		}
		return event.Type != watch.Deleted && done(crd), nil
	})
	return err
}

// roundTrip expects what was sent, but for the names that are filled in.
func (s ships) roundTrip() error {
	found, err := s.definitions.Get(s.ctx, s.name(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	want := s.definition("ships", "Ship").Spec
	want.Names.Singular, want.Names.ListKind = "ship", "ShipList"
	want.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	updated, err := s.definitions.Update(s.ctx, found, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		same("spec", found.Spec, want),
		same("accepted names", found.Status.AcceptedNames, want.Names),
		same("stored versions", found.Status.StoredVersions, []string{"v1"}),
		same("generation", found.Generation, int64(1)),
		same("version after an update that changes nothing", updated.ResourceVersion, found.ResourceVersion),
	)
}

func (s ships) applyDefinition() error {
	names := apiextensionsapply.CustomResourceDefinitionNames().WithCategories("fleet")
	wanted := apiextensionsapply.CustomResourceDefinition(s.name()).WithLabels(map[string]string{"applied": "yes"}).
		WithSpec(apiextensionsapply.CustomResourceDefinitionSpec().WithNames(names))
	made, err := s.definitions.Apply(s.ctx, wanted, metav1.ApplyOptions{FieldManager: "fleet"})
	if err != nil {
		return err
	}
	if err := errors.Join(
		same("categories", made.Spec.Names.Categories, []string{"fleet"}),
		same("versions", len(made.Spec.Versions), 2),
		same("generation", made.Generation, int64(2)),
	); err != nil {
		return err
	}
	return s.awaitDefinition(func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		return len(crd.Status.AcceptedNames.Categories) == 1
	})
}

func (s ships) namesConflict() error {
	taken := s.definition("boats", "Ship")
	if _, err := s.definitions.Create(s.ctx, taken, metav1.CreateOptions{}); err != nil {
		return err
	}
	var names, established *apiextensionsv1.CustomResourceDefinitionCondition
	for end := time.Now().Add(5 * time.Second); names == nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		found, err := s.definitions.Get(s.ctx, taken.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		names = apihelpers.FindCRDCondition(found, apiextensionsv1.NamesAccepted)
		established = apihelpers.FindCRDCondition(found, apiextensionsv1.Established)
	}
	if names == nil || established == nil {
		return errors.New("no conditions")
	}
	return errors.Join(
		same("names", fmt.Sprint(names.Status, " ", names.Reason, ": ", names.Message), `False ListKindConflict: "ShipList" is already in use`),
		same("established", fmt.Sprint(established.Status, " ", established.Reason), "False NotAccepted"),
		s.definitions.Delete(s.ctx, taken.Name, metav1.DeleteOptions{}),
	)
}

func (s ships) refuseDefinition() error {
	wrong := s.definition("wrecks", "Wreck")
	wrong.Name = "wreck." + s.resource.Group
	wrong.Spec.Versions[1].Storage = true
	schema := wrong.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	schema.Properties["rig"] = apiextensionsv1.JSONSchemaProps{Type: "string", Ref: ptr("#/rig")}
	_, err := s.definitions.Create(s.ctx, wrong, metav1.CreateOptions{})
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) {
		return fmt.Errorf("not invalid: %v", err)
	}
	var causes []string
	for _, cause := range status.Status().Details.Causes {
		causes = append(causes, string(cause.Type)+" "+cause.Field)
	}
	return same("causes", causes, []string{
		"FieldValueInvalid metadata.name",
		"FieldValueForbidden spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[rig].$ref",
		"FieldValueInvalid spec.versions",
		"FieldValueInvalid spec.selectableFields",
		"FieldValueInvalid status.storedVersions",
	})
}
