package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

func (s ships) dynamicInformer() error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(s.config), 0, s.namespace, nil)
	return s.follow(func(ctx context.Context) informers.GenericInformer {
		found := factory.ForResource(s.resource)
		found.Informer()
		factory.Start(ctx.Done())
		return found
	})
}

func (s ships) metadataInformer() error {
	client := metadata.NewForConfigOrDie(metadata.ConfigFor(s.config))
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, s.namespace, nil)
	return s.follow(func(ctx context.Context) informers.GenericInformer {
		found := factory.ForResource(s.resource)
		found.Informer()
		factory.Start(ctx.Done())
		return found
	})
}

// follow counts what an informer sees of ten ships that come, change and go.
func (s ships) follow(start func(context.Context) informers.GenericInformer) error {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	informer := start(ctx).Informer()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the cache never synced")
	}
	if count := len(informer.GetStore().ListKeys()); count != 1 {
		return fmt.Errorf("%d in the cache", count)
	}
	var added, updated, deleted atomic.Int64
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { added.Add(1) },
		UpdateFunc: func(any, any) { updated.Add(1) },
		DeleteFunc: func(any) { deleted.Add(1) },
	}); err != nil {
		return err
	}
	for i := range 10 {
		name := fmt.Sprintf("seen-%d", i)
		ship := s.ship(name, map[string]any{})
		ship.SetLabels(map[string]string{"seen": "yes"})
		_, err := s.objects.Create(ctx, ship, metav1.CreateOptions{})
		_, patchErr := s.objects.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"crew":1}}`), metav1.PatchOptions{})
		if err := errors.Join(err, patchErr); err != nil {
			return err
		}
	}
	if err := s.objects.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "seen=yes"}); err != nil {
		return err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if added.Load() == 11 && updated.Load() == 10 && deleted.Load() == 10 {
			return nil
		}
	}
	return fmt.Errorf("added %d, updated %d, deleted %d", added.Load(), updated.Load(), deleted.Load())
}

// metadata asks for protobuf first, as the metadata client does, and gets it: metadata has a protobuf form whatever it is of.
func (s ships) metadata() error {
	config := metadata.ConfigFor(s.config)
	noted := &contentTypes{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { noted.next = next; return noted })
	client := metadata.NewForConfigOrDie(config).Resource(s.resource).Namespace(s.namespace)
	full, err := s.objects.Get(s.ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	partial, err := client.Get(s.ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	list, err := client.List(s.ctx, metav1.ListOptions{FieldSelector: "metadata.name=applied"})
	if err != nil {
		return err
	}
	stream, err := client.Watch(s.ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer stream.Stop()
	patched, err := client.Patch(s.ctx, "applied", types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	event := <-stream.ResultChan()
	seen, ok := event.Object.(*metav1.PartialObjectMetadata)
	if !ok || event.Type != watch.Modified {
		return fmt.Errorf("%s %+v", event.Type, event.Object)
	}
	fullMeta := metav1.ObjectMeta{}
	encoded, err := json.Marshal(full.Object["metadata"])
	if err := errors.Join(err, json.Unmarshal(encoded, &fullMeta)); err != nil {
		return err
	}
	return errors.Join(
		same("metadata", partial.ObjectMeta, fullMeta),
		same("listed", list.Items[0].ObjectMeta, fullMeta),
		same("watched", seen.ObjectMeta, patched.ObjectMeta),
		same("annotations", patched.Annotations, map[string]string{"a": "b"}),
		same("content types", noted.seen, []string{
			"application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf",
			"application/vnd.kubernetes.protobuf;stream=watch", "application/vnd.kubernetes.protobuf",
		}),
	)
}

// contentTypes notes what each answer came as.
type contentTypes struct {
	next http.RoundTripper
	seen []string
}

func (c *contentTypes) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := c.next.RoundTrip(request)
	if err == nil {
		c.seen = append(c.seen, answer.Header.Get("Content-Type"))
	}
	return answer, err
}
