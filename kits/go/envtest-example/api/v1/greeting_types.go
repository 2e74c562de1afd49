// Package v1 is the version of Greetings that is stored.
//
// +kubebuilder:object:generate=true
// +groupName=example.test
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0 object crd paths=../... output:crd:dir=../../config/crd/bases

var (
	GroupVersion  = schema.GroupVersion{Group: "example.test", Version: "v1"}
	SchemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &Greeting{}, &GreetingList{})
		metav1.AddToGroupVersion(scheme, GroupVersion)
		return nil
	})
	AddToScheme = SchemeBuilder.AddToScheme
)

// GreetingSpec says whom to greet, and how.
type GreetingSpec struct {
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// +kubebuilder:default=Hello
	// +kubebuilder:validation:Enum=Hello;Welcome
	// +optional
	Words string `json:"words,omitempty"`
}

// GreetingStatus has what the controller made of it.
type GreetingStatus struct {
	// +optional
	Text string `json:"text,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Greeting is kept in a ConfigMap of its name.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type Greeting struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GreetingSpec `json:"spec"`
	// +optional
	Status GreetingStatus `json:"status,omitempty"`
}

// Hub marks this version as the one that the others are converted to and from.
func (*Greeting) Hub() {}

// GreetingList is a list of Greetings.
//
// +kubebuilder:object:root=true
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Greeting `json:"items"`
}
