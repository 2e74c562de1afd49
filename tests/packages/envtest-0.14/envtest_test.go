// Package envtest is a suite of the time of Kubernetes 1.26: envtest of controller-runtime 0.14, with flags that users pass.
package envtest

import (
	"context"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestEnvironment(t *testing.T) {
	env := &envtest.Environment{CRDDirectoryPaths: []string{"crds"}, ErrorIfCRDPathMissing: true}
	env.ControlPlane.GetAPIServer().Configure().
		Append("feature-gates", "WatchList=true").
		Append("runtime-config", "api/all=true").
		Set("max-requests-inflight", "100")
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	}()
	ctx := context.Background()
	admin, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	site := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(10)}}}
	site.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.test", Version: "v1", Kind: "Site"})
	site.SetNamespace("default")
	site.SetName("shop")
	if err := admin.Create(ctx, site); !apierrors.IsInvalid(err) {
		t.Errorf("got %v, want Invalid", err)
	}
	// As with envtest, there are no controllers and no ServiceAccount admission: a Pod is taken, and stays.
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	pod.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx"}}
	if err := admin.Create(ctx, pod); err != nil {
		t.Error(err)
	}
	other, err := env.AddUser(envtest.User{Name: "joe", Groups: []string{"visitors"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	asOther, err := client.New(other.Config(), client.Options{Mapper: admin.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	if err := asOther.Get(ctx, client.ObjectKeyFromObject(pod), pod); !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want Forbidden", err)
	}
	kubectl, err := other.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, err := kubectl.Run("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
	if err != nil {
		t.Fatalf("kubectl: %v %v", err, stderr)
	}
	if name, err := io.ReadAll(stdout); err != nil || string(name) != "joe" {
		t.Errorf("kubectl is %q, %v", name, err)
	}
}
