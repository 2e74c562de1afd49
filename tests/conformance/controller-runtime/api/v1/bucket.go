// Package v1 is an API as projects write it: Go types with markers, from which controller-gen makes the definition in
// ../../crds and the files here whose names begin with zz_generated.
//
// +kubebuilder:object:generate=true
// +groupName=storage.conformance.test
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0 object crd:maxDescLen=0 paths=../... output:crd:dir=../../crds

var (
	GroupVersion  = schema.GroupVersion{Group: "storage.conformance.test", Version: "v1"}
	SchemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &Bucket{}, &BucketList{})
		metav1.AddToGroupVersion(scheme, GroupVersion)
		return nil
	})
)

// BucketSpec is what is wanted of a bucket.
//
// +kubebuilder:validation:XValidation:rule="!has(self.minimum) || self.minimum <= self.replicas",message="fewer replicas than the minimum",fieldPath=".replicas",reason=FieldValueForbidden
type BucketSpec struct {
	// Where it is; it never moves.
	//
	// +kubebuilder:validation:Enum=north;south
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a bucket never moves"
	Region string `json:"region"`
	// +kubebuilder:default=standard
	// +optional
	Class string `json:"class,omitempty"`
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Minimum *int32 `json:"minimum,omitempty"`
	// A share of the disk, or megabytes.
	//
	// +optional
	Size *intstr.IntOrString `json:"size,omitempty"`
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[a-z]*$`
	// +optional
	Team string `json:"team,omitempty"`
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Grants []Grant `json:"grants,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +optional
	Options *runtime.RawExtension `json:"options,omitempty"`
}

// Grant is what a user may do with a bucket.
type Grant struct {
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// +listType=set
	// +kubebuilder:default={read}
	// +optional
	Verbs []string `json:"verbs,omitempty"`
}

// BucketStatus is what was found.
type BucketStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// +optional
	Selector string `json:"selector,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Bucket is a place outside of the cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=bkt,categories=all
// +kubebuilder:storageversion
// +kubebuilder:selectablefield:JSONPath=.spec.region
// +kubebuilder:selectablefield:JSONPath=.spec.replicas
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=.spec.region
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=.spec.replicas
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=.spec.class,priority=1
type Bucket struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              BucketSpec `json:"spec"`
	// +optional
	Status BucketStatus `json:"status,omitempty"`
}

// BucketList is what a list of buckets is.
//
// +kubebuilder:object:root=true
type BucketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bucket `json:"items"`
}
