// Package controller has the controller of Greetings.
package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "example.test/greetings/api/v1"
)

// GreetingReconciler keeps the ConfigMap of each Greeting.
type GreetingReconciler struct {
	client.Client
}

// Reconcile writes the text into the ConfigMap and into the status.
func (r *GreetingReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var greeting v1.Greeting
	if err := r.Get(ctx, request.NamespacedName, &greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	text := fmt.Sprintf("%s, %s!", greeting.Spec.Words, greeting.Spec.Name)
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: greeting.Namespace, Name: greeting.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, kept, func() error {
		kept.Data = map[string]string{"text": text}
		return controllerutil.SetControllerReference(&greeting, kept, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	greeting.Status.Text = text
	meta.SetStatusCondition(&greeting.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Kept", ObservedGeneration: greeting.Generation,
	})
	return ctrl.Result{}, r.Status().Update(ctx, &greeting)
}

// SetupWithManager registers it.
func (r *GreetingReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Greeting{}).Owns(&corev1.ConfigMap{}).Complete(r)
}
