package main

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// deleteWithPrecondition deletes only what the caller has seen.
func deleteWithPrecondition(ctx context.Context, client kubernetes.Interface, ns string) error {
	maps := client.CoreV1().ConfigMaps(ns)
	made, err := maps.Create(ctx, configMap("guarded"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	old := made.ResourceVersion
	made.Data["k"] = "newer"
	if made, err = maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	remove := func(preconditions metav1.Preconditions) error {
		return maps.Delete(ctx, "guarded", metav1.DeleteOptions{Preconditions: &preconditions})
	}
	another := types.UID("00000000-0000-0000-0000-000000000000")
	if err := errors.Join(
		refused("another uid", remove(metav1.Preconditions{UID: &another}), apierrors.IsConflict),
		refused("an old version", remove(metav1.Preconditions{ResourceVersion: &old}), apierrors.IsConflict),
		remove(metav1.Preconditions{UID: &made.UID, ResourceVersion: &made.ResourceVersion}),
		refused("a second delete", remove(metav1.Preconditions{UID: &made.UID}), apierrors.IsNotFound),
	); err != nil {
		return err
	}
	_, err = maps.Get(ctx, "guarded", metav1.GetOptions{})
	return refused("what was deleted", err, apierrors.IsNotFound)
}

// updateStatus writes a Pod's status, and nothing but it.
func updateStatus(ctx context.Context, client kubernetes.Interface, ns string) error {
	no := false
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "status"}, Spec: corev1.PodSpec{AutomountServiceAccountToken: &no, Containers: []corev1.Container{{Name: "c", Image: "nginx"}}}}
	pod.Status.Phase = corev1.PodFailed
	pods := client.CoreV1().Pods(ns)
	made, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := same("the phase of what was created", made.Status.Phase, corev1.PodPending); err != nil {
		return err
	}
	changed := made.DeepCopy()
	changed.Status.Phase = corev1.PodRunning
	changed.Spec.Containers[0].Image = "other"
	written, err := pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{FieldManager: "kubelet"})
	if err != nil {
		return err
	}
	_, stale := pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	written.Status.Phase = corev1.PodSucceeded
	kept, err := pods.Update(ctx, written, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		refused("a stale status", stale, apierrors.IsConflict),
		same("phase", kept.Status.Phase, corev1.PodRunning),
		same("spec", kept.Spec, made.Spec),
		manages(kept, "kubelet", "status", `{"f:status":{"f:phase":{}}}`),
	)
}
