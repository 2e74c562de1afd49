package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	storagev1 "coxswain/controller-runtime-conformance/api/v1"
	storagev1beta1 "coxswain/controller-runtime-conformance/api/v1beta1"
)

type bucketDefaulter struct{}

func (bucketDefaulter) Default(_ context.Context, bucket *storagev1.Bucket) error {
	if bucket.Spec.Team == "" {
		bucket.Spec.Team = "nobody"
	}
	return nil
}

type podDefaulter struct{}

func (podDefaulter) Default(_ context.Context, pod *corev1.Pod) error {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["seen-by"] = "webhook"
	return nil
}

type bucketValidator struct{}

func (bucketValidator) ValidateCreate(_ context.Context, bucket *storagev1.Bucket) (admission.Warnings, error) {
	if bucket.Spec.Team == "nobodies" {
		return nil, errors.New("there are no nobodies")
	}
	return admission.Warnings{bucket.Name + " is new"}, nil
}

func (bucketValidator) ValidateUpdate(_ context.Context, old, bucket *storagev1.Bucket) (admission.Warnings, error) {
	if bucket.Spec.Team == "nobodies" {
		return nil, fmt.Errorf("%s became %s", old.Spec.Team, bucket.Spec.Team)
	}
	return nil, nil
}

func (bucketValidator) ValidateDelete(_ context.Context, bucket *storagev1.Bucket) (admission.Warnings, error) {
	if bucket.Name == "hooked" {
		return nil, fmt.Errorf("%s is kept", bucket.Name)
	}
	return nil, nil
}

// What is fast in the older version is express in the newer one.
func toNewer(_ context.Context, from *storagev1beta1.Bucket, to *storagev1.Bucket) error {
	to.ObjectMeta = from.ObjectMeta
	to.Spec.Region = from.Spec.Region
	to.Spec.Class = "standard"
	if from.Spec.Speed == "fast" {
		to.Spec.Class = "express"
	}
	return nil
}

func toOlder(_ context.Context, from *storagev1.Bucket, to *storagev1beta1.Bucket) error {
	to.ObjectMeta = from.ObjectMeta
	to.Spec.Region = from.Spec.Region
	to.Spec.Speed = "slow"
	if from.Spec.Class == "express" {
		to.Spec.Speed = "fast"
	}
	return nil
}
