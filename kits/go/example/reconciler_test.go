package sites

import (
	"context"
	"testing"
	"time"

	"coxswain.dev/coxswain"
	"coxswain.dev/coxswain/coxswaintest"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func TestASiteGetsItsPods(t *testing.T) {
	started := time.Now()
	env := coxswaintest.NewWith(t, coxswain.Options{CRDPaths: []string{"crds"}})
	t.Logf("coxswain %s with its definitions after %s", env.Version, time.Since(started))

	mgr, err := ctrl.NewManager(env.Config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Reconciler{mgr.GetClient()}).SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	run(t, mgr)

	ctx := context.Background()
	site := siteWith(env.Namespace, 2)
	if err := mgr.GetClient().Create(ctx, site); err != nil {
		t.Fatal(err)
	}
	// The Pods run on a simulated node: with envtest there would be none.
	if err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := mgr.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
			return false, err
		}
		ready, _, err := unstructured.NestedInt64(site.Object, "status", "ready")
		return ready == 2, err
	}); err != nil {
		t.Fatalf("the site was not ready: %v; %v", err, site.Object["status"])
	}
	var pods corev1.PodList
	if err := mgr.GetAPIReader().List(ctx, &pods, client.InNamespace(env.Namespace), client.MatchingLabels{"site": "shop"}); err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 2 || pods.Items[0].Spec.NodeName == "" {
		t.Errorf("there are %d pods, the first one on node %q", len(pods.Items), pods.Items[0].Spec.NodeName)
	}
}

func TestTheSchemaRefusesTooManyReplicas(t *testing.T) {
	env := coxswaintest.NewWith(t, coxswain.Options{Args: []string{"--apiserver-only"}, CRDPaths: []string{"crds/sites.yaml"}})
	asked, err := client.New(env.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := asked.Create(context.Background(), siteWith(env.Namespace, 10)); !apierrors.IsInvalid(err) {
		t.Errorf("got %v, want Invalid", err)
	}
}

func siteWith(namespace string, replicas int64) *unstructured.Unstructured {
	site := NewSite()
	site.SetNamespace(namespace)
	site.SetName("shop")
	site.Object["spec"] = map[string]any{"replicas": replicas}
	return site
}

// run starts the manager, and stops it before the control plane stops.
func run(t *testing.T, mgr ctrl.Manager) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
