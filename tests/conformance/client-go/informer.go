package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func informer(ctx context.Context, client kubernetes.Interface, ns string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	maps := client.CoreV1().ConfigMaps(ns)
	for i := 0; i < 20; i++ {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("seen-%d", i)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	var added, updated, deleted atomic.Int64
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns))
	shared := factory.Core().V1().ConfigMaps().Informer()
	shared.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { added.Add(1) },
		UpdateFunc: func(any, any) { updated.Add(1) },
		DeleteFunc: func(any) { deleted.Add(1) },
	})
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), shared.HasSynced) {
		return errors.New("the cache never synced")
	}
	for i := 0; i < 20; i++ {
		patch := []byte(`{"data":{"k":"changed"}}`)
		if _, err := maps.Patch(ctx, fmt.Sprintf("seen-%d", i), types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=client-go"}); err != nil {
		return err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if added.Load() == 20 && updated.Load() == 20 && deleted.Load() == 20 {
			return nil
		}
	}
	return fmt.Errorf("added %d, updated %d, deleted %d", added.Load(), updated.Load(), deleted.Load())
}
