// Command client-go-conformance drives a server as controllers written in Go do: typed clients with protobuf bodies,
// server-side apply, watches that resume, informers with WatchList, pages, patches, conflicts with retry, evictions,
// leader election and custom resources. It prints one line for each check and exits with 1 when one fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

const namespace = "client-go"

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
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		panic(err)
	}
	config.QPS, config.Burst = 1000, 1000
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		typed := rest.CopyConfig(config)
		typed.ContentType = contentType
		typed.AcceptContentTypes = contentType
		run(ctx, contentType, kubernetes.NewForConfigOrDie(typed), config)
	}
	check("dynamic and metadata clients", untyped(ctx, config))
	check("discovery", discover(config))
	if failed {
		os.Exit(1)
	}
}

func run(ctx context.Context, contentType string, client kubernetes.Interface, config *rest.Config) {
	name := func(s string) string { return s + " with " + contentType }
	ns := namespace + fmt.Sprint(time.Now().UnixNano()%100000)
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{})
	check(name("namespace"), err)
	check(name("informer sees every change"), informer(ctx, client, ns))
	check(name("retry on conflict counts exactly"), contend(ctx, client, ns))
	check(name("deployment round trip"), deployment(ctx, client, ns))
	check(name("pages"), pages(ctx, client, ns))
	check(name("eviction"), evict(ctx, client, ns))
	check(name("leader election"), elect(ctx, client, ns))
	checkApply(ctx, client, ns, name)
	check(name("a watch resumes"), resume(ctx, client, ns))
	check(name("a watch outlives its connections"), outlive(ctx, client, ns))
	check(name("delete with preconditions"), deleteWithPrecondition(ctx, client, ns))
	check(name("status update"), updateStatus(ctx, client, ns))
	checkCustom(ctx, config, contentType, ns, name)
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "client-go"}}, Data: map[string]string{"k": "v"}}
}

func contend(ctx context.Context, client kubernetes.Interface, ns string) error {
	maps := client.CoreV1().ConfigMaps(ns)
	counter := configMap("counter")
	counter.Data["n"] = ""
	if _, err := maps.Create(ctx, counter, metav1.CreateOptions{}); err != nil {
		return err
	}
	// Waits of one length: those of DefaultBackoff would grow fivefold with each conflict.
	backoff := retry.DefaultRetry
	backoff.Steps = 1000
	var wg sync.WaitGroup
	errs := make(chan error, 100)
	for i := 0; i < 10; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := 0; j < 10; j++ {
				errs <- retry.RetryOnConflict(backoff, func() error {
					found, err := maps.Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					found.Data["n"] += "x"
					_, err = maps.Update(ctx, found, metav1.UpdateOptions{})
					return err
				})
			}
		}()
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	found, err := maps.Get(ctx, "counter", metav1.GetOptions{})
	if err == nil && len(found.Data["n"]) != 100 {
		err = fmt.Errorf("counted %d of 100", len(found.Data["n"]))
	}
	return err
}

func deployment(ctx context.Context, client kubernetes.Interface, ns string) error {
	replicas := int32(0)
	labels := map[string]string{"app": "web"}
	wanted := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "nginx"}}}},
		},
	}
	apps := client.AppsV1().Deployments(ns)
	made, err := apps.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if made.Spec.Replicas == nil || *made.Spec.Replicas != 0 || made.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
		return fmt.Errorf("defaults went wrong: %+v", made.Spec)
	}
	made.Status.ObservedGeneration = made.Generation
	made.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastUpdateTime: metav1.Now(), LastTransitionTime: metav1.Now()}}
	if made, err = apps.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if made.Generation != 1 || made.Status.ObservedGeneration != 1 {
		return fmt.Errorf("generation %d, observed %d", made.Generation, made.Status.ObservedGeneration)
	}
	scale, err := apps.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 5
	if _, err = apps.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if _, err = apps.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale scale: %v", err)
	}
	return apps.Delete(ctx, "web", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &made.UID}})
}

func pages(ctx context.Context, client kubernetes.Interface, ns string) error {
	for i := 0; i < 7; i++ {
		if _, err := client.CoreV1().Secrets(ns).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "page-"}, StringData: map[string]string{"a": "b"}}, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	count, options := 0, metav1.ListOptions{Limit: 3}
	for {
		list, err := client.CoreV1().Secrets(ns).List(ctx, options)
		if err != nil {
			return err
		}
		count += len(list.Items)
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	if count != 7 {
		return fmt.Errorf("%d of 7 came in pages", count)
	}
	return nil
}

func evict(ctx context.Context, client kubernetes.Interface, ns string) error {
	no := false
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{AutomountServiceAccountToken: &no, Containers: []corev1.Container{{Name: "c", Image: "nginx"}}}}
	if _, err := client.CoreV1().Pods(ns).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := client.CoreV1().Pods(ns).Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: ns}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := client.PolicyV1().Evictions(ns).Evict(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: ns}}); err != nil {
		return err
	}
	found, err := client.CoreV1().Pods(ns).Get(ctx, "p", metav1.GetOptions{})
	if err == nil && found.DeletionTimestamp == nil {
		err = errors.New("the evicted pod is not being deleted")
	}
	return err
}

func elect(ctx context.Context, client kubernetes.Interface, ns string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: ns},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	led := false
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; time.Sleep(time.Second); cancel() },
			OnStoppedLeading: func() {},
		},
	})
	if !led {
		return errors.New("there was no leader")
	}
	return nil
}

func untyped(ctx context.Context, config *rest.Config) error {
	resource := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	list, err := dynamic.NewForConfigOrDie(config).Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	partial, err := metadata.NewForConfigOrDie(metadata.ConfigFor(config)).Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(list.Items) != len(partial.Items) || len(partial.Items) < 4 {
		return fmt.Errorf("%d objects but %d metadata", len(list.Items), len(partial.Items))
	}
	return nil
}

func discover(config *rest.Config) error {
	client := discovery.NewDiscoveryClientForConfigOrDie(config)
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if _, err := client.OpenAPISchema(); err != nil {
		return err
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	if len(lists) < 15 || len(paths) < 15 {
		return fmt.Errorf("%d group versions, %d documents", len(lists), len(paths))
	}
	return nil
}
