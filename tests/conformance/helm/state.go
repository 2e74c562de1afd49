package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// state is what the cluster has of a release, each object by its name; its fields are public to be compared.
type state struct {
	Deployments map[string]appsv1.Deployment
	Services    map[string]corev1.Service
	ConfigMaps  map[string]corev1.ConfigMap
	// Each release Secret's revision and status.
	Revisions []string
	Jobs      int
}

func (s shop) state() (state, error) {
	all, helms := metav1.ListOptions{}, metav1.ListOptions{LabelSelector: "owner=helm"}
	deployments, err1 := s.client.AppsV1().Deployments(s.namespace).List(s.ctx, all)
	services, err2 := s.client.CoreV1().Services(s.namespace).List(s.ctx, all)
	configMaps, err3 := s.client.CoreV1().ConfigMaps(s.namespace).List(s.ctx, all)
	jobs, err4 := s.client.BatchV1().Jobs(s.namespace).List(s.ctx, all)
	secrets, err5 := s.client.CoreV1().Secrets(s.namespace).List(s.ctx, helms)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return state{}, err
	}
	made := state{map[string]appsv1.Deployment{}, map[string]corev1.Service{}, map[string]corev1.ConfigMap{}, nil, len(jobs.Items)}
	for _, item := range deployments.Items {
		made.Deployments[item.Name] = item
	}
	for _, item := range services.Items {
		made.Services[item.Name] = item
	}
	for _, item := range configMaps.Items {
		made.ConfigMaps[item.Name] = item
	}
	for _, item := range secrets.Items {
		if item.Type != "helm.sh/release.v1" || item.Name != fmt.Sprintf("sh.helm.release.v1.%s.v%s", item.Labels["name"], item.Labels["version"]) {
			return made, fmt.Errorf("secret %s of type %s has labels %v", item.Name, item.Type, item.Labels)
		}
		made.Revisions = append(made.Revisions, item.Labels["version"]+" "+item.Labels["status"])
	}
	slices.Sort(made.Revisions)
	return made, nil
}

// expect returns what differs from a chart of those values, and from that history.
func (s shop) expect(image string, replicas int32, settings map[string]string, extra bool, revisions ...string) error {
	found, err := s.state()
	if err != nil {
		return err
	}
	deployment, service := found.Deployments[releaseName], found.Services[releaseName]
	_, hasExtra := found.ConfigMaps["shop-extra"]
	if len(deployment.Spec.Template.Spec.Containers) != 1 || deployment.Spec.Replicas == nil {
		return fmt.Errorf("the deployment is %+v", deployment.Spec)
	}
	return errors.Join(
		same("image", deployment.Spec.Template.Spec.Containers[0].Image, image),
		same("replicas", *deployment.Spec.Replicas, replicas),
		same("who manages the deployment", deployment.Labels["app.kubernetes.io/managed-by"], "Helm"),
		same("its release", deployment.Annotations["meta.helm.sh/release-name"], releaseName),
		same("the service has an address", service.Spec.ClusterIP != "", true),
		same("settings", found.ConfigMaps["shop-settings"].Data, settings),
		same("the extra object is there", hasExtra, extra),
		same("jobs", found.Jobs, 0),
		same("revisions", strings.Join(found.Revisions, ", "), strings.Join(revisions, ", ")),
		same("deployment's manager", slices.ContainsFunc(deployment.ManagedFields, s.isHelms), true),
	)
}

func (s shop) isHelms(entry metav1.ManagedFieldsEntry) bool {
	wanted := map[string]metav1.ManagedFieldsOperationType{"ssa": metav1.ManagedFieldsOperationApply, "csa": metav1.ManagedFieldsOperationUpdate}
	return entry.Manager == "helm" && entry.Operation == wanted[s.method]
}

func same(what string, got, want any) error {
	if equality.Semantic.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s: %v, not %v", what, got, want)
}
