// Package v1beta1 is an older form of v1, which is still served. Nothing converts between the two: what only the newer one
// has is not seen here.
//
// +kubebuilder:object:generate=true
// +groupName=storage.conformance.test
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "storage.conformance.test", Version: "v1beta1"}
	SchemeBuilder = runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &Bucket{}, &BucketList{})
		metav1.AddToGroupVersion(scheme, GroupVersion)
		return nil
	})
)

// BucketSpec is what is wanted of a bucket.
type BucketSpec struct {
	Region string `json:"region"`
	// +kubebuilder:default=slow
	// +optional
	Speed string `json:"speed,omitempty"`
}

// Bucket is a place outside of the cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion:warning="storage.conformance.test/v1beta1 Bucket is old"
type Bucket struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              BucketSpec `json:"spec"`
}

// BucketList is what a list of buckets is.
//
// +kubebuilder:object:root=true
type BucketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bucket `json:"items"`
}
