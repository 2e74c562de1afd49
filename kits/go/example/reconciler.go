// Package sites has a controller that runs a Deployment for each Site.
package sites

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// NewSite is one without a name.
func NewSite() *unstructured.Unstructured {
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.test", Version: "v1", Kind: "Site"})
	return site
}

// Reconciler keeps the Deployment of each Site, and says in the status how many Pods are ready.
type Reconciler struct {
	client.Client
}

// Reconcile is called for changes of a Site and of its Deployment.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := NewSite()
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	replicas, _, err := unstructured.NestedInt64(site.Object, "spec", "replicas")
	if err != nil {
		return ctrl.Result{}, err
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: site.GetNamespace(), Name: site.GetName()}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"site": site.GetName()}
		wanted := int32(replicas)
		deployment.Spec.Replicas = &wanted
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx"}}
		return controllerutil.SetControllerReference(site, deployment, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(site.Object, int64(deployment.Status.ReadyReplicas), "status", "ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, client.IgnoreNotFound(r.Status().Update(ctx, site))
}

// SetupWithManager registers it.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("site").For(NewSite()).Owns(&appsv1.Deployment{}).Complete(r)
}
