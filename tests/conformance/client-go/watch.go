package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// resume reads a part of the history, stops, and reads on from where it was: nothing twice, nothing left out.
func resume(ctx context.Context, client kubernetes.Interface, ns string) error {
	maps := client.CoreV1().ConfigMaps(ns)
	selected := metav1.ListOptions{LabelSelector: "watch=resumed"}
	list, err := maps.List(ctx, selected)
	if err != nil {
		return err
	}
	if err := history(ctx, maps); err != nil {
		return err
	}
	selected.ResourceVersion = list.ResourceVersion
	first, err := events(ctx, maps, selected, 2)
	if err != nil {
		return err
	}
	selected.ResourceVersion = first[1].version
	rest, err := events(ctx, maps, selected, 3)
	if err != nil {
		return err
	}
	var texts []string
	for _, event := range append(first, rest...) {
		texts = append(texts, event.text)
	}
	return same("events", texts, []string{"ADDED r0=a", "ADDED r1=a", "MODIFIED r0=b", "ADDED r2=a", "DELETED r0=b"})
}

// history writes what resume expects to read.
func history(ctx context.Context, maps coreclient.ConfigMapInterface) error {
	labelled := func(name, value string) *corev1.ConfigMap {
		object := configMap(name)
		object.Labels, object.Data["k"] = map[string]string{"watch": "resumed"}, value
		return object
	}
	_, first := maps.Create(ctx, labelled("r0", "a"), metav1.CreateOptions{})
	_, second := maps.Create(ctx, labelled("r1", "a"), metav1.CreateOptions{})
	_, unseen := maps.Create(ctx, configMap("unseen"), metav1.CreateOptions{})
	_, changed := maps.Update(ctx, labelled("r0", "b"), metav1.UpdateOptions{})
	_, third := maps.Create(ctx, labelled("r2", "a"), metav1.CreateOptions{})
	return errors.Join(first, second, unseen, changed, third, maps.Delete(ctx, "r0", metav1.DeleteOptions{}))
}

type seen struct{ text, version string }

// events reads so many of them and ends the watch.
func events(ctx context.Context, maps coreclient.ConfigMapInterface, options metav1.ListOptions, count int) ([]seen, error) {
	watcher, err := maps.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	defer watcher.Stop()
	var all []seen
	for event := range watcher.ResultChan() {
		object, ok := event.Object.(*corev1.ConfigMap)
		if !ok {
			return nil, fmt.Errorf("an event of %T: %v", event.Object, event.Object)
		}
		all = append(all, seen{fmt.Sprintf("%s %s=%s", event.Type, object.Name, object.Data["k"]), object.ResourceVersion})
		if len(all) == count {
			return all, nil
		}
	}
	return nil, fmt.Errorf("the watch ended after %d of %d events", len(all), count)
}

// outlive watches through a server that ends each watch after a second: the client comes back with the last version it saw.
func outlive(ctx context.Context, client kubernetes.Interface, ns string) error {
	maps := client.CoreV1().ConfigMaps(ns)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	second := int64(1)
	var watches atomic.Int64
	lister := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		watches.Add(1)
		options.TimeoutSeconds = &second
		return maps.Watch(ctx, options)
	}}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, lister)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for i := 0; i < 3 || watches.Load() < 3; i++ {
		name := fmt.Sprintf("outlived-%d", i)
		if _, err := maps.Create(ctx, configMap(name), metav1.CreateOptions{}); err != nil {
			return err
		}
		event, open := <-watcher.ResultChan()
		if !open {
			return errors.New("the watch gave up")
		}
		object, ok := event.Object.(*corev1.ConfigMap)
		if !ok || event.Type != watch.Added || object.Name != name {
			return fmt.Errorf("%s of %v, not of %s", event.Type, event.Object, name)
		}
		if err := maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		if event = <-watcher.ResultChan(); event.Type != watch.Deleted {
			return fmt.Errorf("%s after a deletion", event.Type)
		}
	}
	return nil
}
