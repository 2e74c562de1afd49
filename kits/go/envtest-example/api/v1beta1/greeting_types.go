// Package v1beta1 is the first version of Greetings: a single field had everything.
//
// +kubebuilder:object:generate=true
// +groupName=example.test
package v1beta1

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	v1 "example.test/greetings/api/v1"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "example.test", Version: "v1beta1"}
	SchemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &Greeting{}, &GreetingList{})
		metav1.AddToGroupVersion(scheme, GroupVersion)
		return nil
	})
	AddToScheme = SchemeBuilder.AddToScheme
)

// GreetingSpec has the words and the name, as "Hello, Ada".
type GreetingSpec struct {
	Text string `json:"text"`
}

// Greeting is kept in a ConfigMap of its name.
//
// +kubebuilder:object:root=true
type Greeting struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GreetingSpec `json:"spec"`
}

// GreetingList is a list of Greetings.
//
// +kubebuilder:object:root=true
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Greeting `json:"items"`
}

// ConvertTo makes a v1 Greeting of this one.
func (in *Greeting) ConvertTo(hub conversion.Hub) error {
	out := hub.(*v1.Greeting)
	words, name, found := strings.Cut(in.Spec.Text, ", ")
	if !found {
		return fmt.Errorf("%q is not of the form \"words, name\"", in.Spec.Text)
	}
	out.ObjectMeta = in.ObjectMeta
	out.Spec = v1.GreetingSpec{Words: words, Name: name}
	return nil
}

// ConvertFrom makes this one of a v1 Greeting.
func (in *Greeting) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*v1.Greeting)
	in.ObjectMeta = from.ObjectMeta
	in.Spec.Text = from.Spec.Words + ", " + from.Spec.Name
	return nil
}
