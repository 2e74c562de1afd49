package main

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const siteCount = 20

func siteName(i int) string { return fmt.Sprintf("site-%d", i) }

func at(name string) client.ObjectKey { return client.ObjectKey{Namespace: namespace, Name: name} }

func newSite(name string, replicas int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"kind": "site"}},
		Data:       map[string]string{"replicas": fmt.Sprint(replicas), "image": "nginx:1", "team": []string{"red", "blue"}[replicas%2]},
	}
}

func checkConvergence(ctx context.Context, o operator, direct client.Client) {
	check("every site gets its deployment", converges(ctx, direct))
	check("the index of the cache", indexed(ctx, o.manager.GetClient()))
	check("a deployment's status reaches its site", statusReaches(ctx, direct))
	check("the operator's event", recorded(ctx, direct))
	check("a secret's metadata reaches the pod template", secretReaches(ctx, direct))
	check("a foreign apply conflicts, and by force is undone", driftUndone(ctx, direct))
	check("nothing is written when nothing changed", quiet(ctx, o, direct))
	check("deletion waits for the finalizer", finalizes(ctx, direct))
}

func converges(ctx context.Context, direct client.Client) error {
	for i := range siteCount {
		if err := direct.Create(ctx, newSite(siteName(i), i)); err != nil {
			return err
		}
	}
	for i := range siteCount {
		if err := eventually(ctx, func() error { return converged(ctx, direct, siteName(i), int32(i)) }); err != nil {
			return err
		}
	}
	return nil
}

func converged(ctx context.Context, direct client.Client, name string, replicas int32) error {
	var site corev1.ConfigMap
	var deployment appsv1.Deployment
	if err := errors.Join(direct.Get(ctx, at(name), &site), direct.Get(ctx, at(name), &deployment)); err != nil {
		return err
	}
	if !controllerutil.ContainsFinalizer(&site, finalizer) || !metav1.IsControlledBy(&deployment, &site) {
		return fmt.Errorf("%s: finalizers %v, owners %v", name, site.Finalizers, deployment.OwnerReferences)
	}
	if *deployment.Spec.Replicas != replicas || site.Annotations[readyAnnotation] != fmt.Sprint(deployment.Status.ReadyReplicas) {
		return fmt.Errorf("%s: %d replicas, annotations %v", name, *deployment.Spec.Replicas, site.Annotations)
	}
	return nil
}

func indexed(ctx context.Context, cached client.Client) error {
	return eventually(ctx, func() error {
		var red, all corev1.ConfigMapList
		if err := errors.Join(cached.List(ctx, &red, client.MatchingFields{"team": "red"}), cached.List(ctx, &all)); err != nil {
			return err
		}
		if len(red.Items) != siteCount/2 || len(all.Items) != siteCount {
			return fmt.Errorf("%d red of %d sites", len(red.Items), len(all.Items))
		}
		return nil
	})
}

func statusReaches(ctx context.Context, direct client.Client) error {
	var deployment appsv1.Deployment
	if err := direct.Get(ctx, at(siteName(3)), &deployment); err != nil {
		return err
	}
	before := deployment.DeepCopy()
	deployment.Spec.Replicas = nil
	deployment.Status.Replicas, deployment.Status.ReadyReplicas = 3, 2
	if err := direct.Status().Patch(ctx, &deployment, client.MergeFrom(before)); err != nil {
		return err
	}
	if *deployment.Spec.Replicas != 3 || deployment.Generation != before.Generation {
		return fmt.Errorf("a patch of the status changed the spec: %v", deployment.Spec)
	}
	applied := appsapply.Deployment(siteName(5), namespace).WithStatus(appsapply.DeploymentStatus().WithReplicas(5).WithReadyReplicas(4))
	if err := direct.Status().Apply(ctx, applied, client.FieldOwner("deployment-controller")); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		return errors.Join(annotated(ctx, direct, siteName(3), "2"), annotated(ctx, direct, siteName(5), "4"))
	})
}

func annotated(ctx context.Context, direct client.Client, name, ready string) error {
	var site corev1.ConfigMap
	if err := direct.Get(ctx, at(name), &site); err != nil {
		return err
	}
	if site.Annotations[readyAnnotation] != ready {
		return fmt.Errorf("%s: annotations %v", name, site.Annotations)
	}
	return nil
}

func recorded(ctx context.Context, direct client.Client) error {
	return eventually(ctx, func() error {
		var all eventsv1.EventList
		if err := direct.List(ctx, &all, client.InNamespace(namespace), client.MatchingFields{"reason": "Scaled", "regarding.name": siteName(3)}); err != nil {
			return err
		}
		for _, event := range all.Items {
			if event.Note == "2 replicas are ready" && event.Related.Kind == "Deployment" && event.ReportingController == "site" {
				return nil
			}
		}
		return fmt.Errorf("not among %d events", len(all.Items))
	})
}

func secretReaches(ctx context.Context, direct client.Client) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: siteName(1), Namespace: namespace}, StringData: map[string]string{"password": "old"}}
	if err := direct.Create(ctx, secret); err != nil {
		return err
	}
	if err := eventually(ctx, func() error { return templated(ctx, direct, secret) }); err != nil {
		return err
	}
	secret.StringData = map[string]string{"password": "new"}
	if err := direct.Update(ctx, secret); err != nil {
		return err
	}
	return eventually(ctx, func() error { return templated(ctx, direct, secret) })
}

func templated(ctx context.Context, direct client.Client, secret *corev1.Secret) error {
	var deployment appsv1.Deployment
	if err := direct.Get(ctx, client.ObjectKeyFromObject(secret), &deployment); err != nil {
		return err
	}
	if version := deployment.Spec.Template.Annotations[versionAnnotation]; version != secret.ResourceVersion {
		return fmt.Errorf("the template has version %s of the secret, not %s", version, secret.ResourceVersion)
	}
	return nil
}

func driftUndone(ctx context.Context, direct client.Client) error {
	wrong := appsapply.Deployment(siteName(7), namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(70))
	err := direct.Apply(ctx, wrong, client.FieldOwner("meddler"))
	cause, found := apierrors.StatusCause(err, metav1.CauseTypeFieldManagerConflict)
	if !apierrors.IsConflict(err) || !found || cause.Field != ".spec.replicas" || cause.Message != `conflict with "site-operator"` {
		return fmt.Errorf("not the conflict: %v, %v", err, cause)
	}
	if err := direct.Apply(ctx, wrong, client.FieldOwner("meddler"), client.ForceOwnership); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		var deployment appsv1.Deployment
		if err := direct.Get(ctx, at(siteName(7)), &deployment); err != nil {
			return err
		}
		if *deployment.Spec.Replicas != 7 {
			return fmt.Errorf("%d replicas", *deployment.Spec.Replicas)
		}
		for _, entry := range deployment.ManagedFields {
			if entry.Manager == "meddler" {
				return errors.New("the meddler still manages")
			}
		}
		return nil
	})
}

// quiet makes the operator look again, by a label that means nothing, and expects that it leaves the deployments as they are.
func quiet(ctx context.Context, o operator, direct client.Client) error {
	var before, after appsv1.DeploymentList
	if err := direct.List(ctx, &before, client.InNamespace(namespace)); err != nil {
		return err
	}
	count := o.sites.reconciles.Load()
	for i := range siteCount {
		var site corev1.ConfigMap
		if err := direct.Get(ctx, at(siteName(i)), &site); err != nil {
			return err
		}
		touched := site.DeepCopy()
		touched.Labels["touched"] = "yes"
		if err := direct.Patch(ctx, touched, client.MergeFrom(&site)); err != nil {
			return err
		}
	}
	if err := eventually(ctx, func() error {
		if now := o.sites.reconciles.Load(); now < count+siteCount {
			return fmt.Errorf("%d of %d reconciled", now-count, siteCount)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := direct.List(ctx, &after, client.InNamespace(namespace)); err != nil {
		return err
	}
	if !equality.Semantic.DeepEqual(before.Items, after.Items) {
		return errors.New("deployments changed")
	}
	return nil
}

func finalizes(ctx context.Context, direct client.Client) error {
	if err := direct.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(namespace), client.MatchingLabels{"kind": "site"}); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		var sites corev1.ConfigMapList
		var deployments appsv1.DeploymentList
		if err := errors.Join(direct.List(ctx, &sites, client.InNamespace(namespace), client.MatchingLabels{"kind": "site"}), direct.List(ctx, &deployments, client.InNamespace(namespace))); err != nil {
			return err
		}
		if len(sites.Items)+len(deployments.Items) > 0 {
			return fmt.Errorf("%d sites and %d deployments remain", len(sites.Items), len(deployments.Items))
		}
		return nil
	})
}
