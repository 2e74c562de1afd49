// Command controller-runtime-conformance runs an operator against a server: a manager with leader election, a cache and
// a reconciler that applies, finalizes and corrects drift, first on ConfigMaps, then on a kind of its own. It prints one
// line for each check and exits with 1 when one fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const namespace = "operator"

var failed bool

func check(name string, err error) {
	if err != nil {
		failed = true
		fmt.Printf("FAIL %s: %v\n", name, err)
		return
	}
	fmt.Printf("ok %s\n", name)
}

func main() {
	kubeconfig := flag.Lookup("kubeconfig") // controller-runtime declares it
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig.Value.String())
	if err != nil {
		panic(err)
	}
	config.QPS = -1
	existing := true
	environment := &envtest.Environment{UseExistingCluster: &existing, Config: config}
	if config, err = environment.Start(); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	direct, err := client.New(config, client.Options{})
	if err != nil {
		panic(err)
	}
	check("namespace", direct.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	first, err := start(ctx, config)
	check("a manager starts and leads", errors.Join(err, first.leads(ctx)))
	if !failed {
		second, err := start(ctx, config)
		check("a second manager starts", err)
		checkReading(ctx, config)
		checkClient(ctx, first.manager, direct)
		checkConvergence(ctx, first, direct)
		checkHandOver(ctx, first, second, direct)
		checkCustomResources(ctx, config)
		checkWebhooks(ctx, config)
	}
	check("the environment stops", environment.Stop())
	if failed {
		os.Exit(1)
	}
}

// eventually asks until the answer is right, and returns the last wrong one.
func eventually(ctx context.Context, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}
