package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func checkReading(ctx context.Context, config *rest.Config) {
	direct, err := client.NewWithWatch(config, client.Options{})
	if err != nil {
		panic(err)
	}
	check("pages are one snapshot", pages(ctx, direct))
	check("a watch resumes", resumes(ctx, direct))
}

func secret(name, set string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"set": set}}}
}

func pages(ctx context.Context, direct client.Client) error {
	var want, got, versions []string
	for i := range 7 {
		want = append(want, fmt.Sprintf("page-%d", i))
		if err := direct.Create(ctx, secret(want[i], "page")); err != nil {
			return err
		}
	}
	for token := ""; ; {
		var page corev1.SecretList
		err := direct.List(ctx, &page, client.InNamespace(namespace), client.MatchingLabels{"set": "page"}, client.Limit(3), client.Continue(token))
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			got = append(got, item.Name)
		}
		versions = append(versions, page.ResourceVersion)
		if len(versions) == 1 {
			// Gone between two pages, and yet part of the snapshot.
			if err := direct.Delete(ctx, secret("page-6", "page")); err != nil {
				return err
			}
		}
		if token = page.Continue; token == "" {
			break
		}
	}
	if !slices.Equal(got, want) || len(versions) != 3 || len(slices.Compact(versions)) != 1 {
		return fmt.Errorf("pages of %v at versions %v", got, versions)
	}
	return nil
}

func resumes(ctx context.Context, direct client.WithWatch) error {
	watched := secret("watched", "watch")
	var before corev1.SecretList
	if err := direct.List(ctx, &before, client.InNamespace(namespace), client.MatchingLabels{"set": "watch"}); err != nil {
		return err
	}
	if err := direct.Create(ctx, watched); err != nil {
		return err
	}
	created := watched.ResourceVersion
	watched.StringData = map[string]string{"n": "1"}
	if err := direct.Update(ctx, watched); err != nil {
		return err
	}
	if err := direct.Delete(ctx, watched); err != nil {
		return err
	}
	for from, want := range map[string][]watch.EventType{
		before.ResourceVersion: {watch.Added, watch.Modified, watch.Deleted},
		created:                {watch.Modified, watch.Deleted},
	} {
		got, err := follow(ctx, direct, from, len(want))
		if err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("from %s: %v, not %v (%v)", from, got, want, err)
		}
	}
	return nil
}

// follow returns what happened after a version, until there is as much of it as is wanted; what each event shows must be newer than the last.
func follow(ctx context.Context, direct client.WithWatch, from string, count int) ([]watch.EventType, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	options := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: from}}
	stream, err := direct.Watch(ctx, &corev1.SecretList{}, client.InNamespace(namespace), client.MatchingLabels{"set": "watch"}, options)
	if err != nil {
		return nil, err
	}
	defer stream.Stop()
	var types []watch.EventType
	for event := range stream.ResultChan() {
		object, ok := event.Object.(*corev1.Secret)
		if !ok || object.Name != "watched" || object.ResourceVersion == from {
			return types, fmt.Errorf("%s of %T %+v", event.Type, event.Object, event.Object)
		}
		from = object.ResourceVersion
		if types = append(types, event.Type); len(types) == count {
			break
		}
	}
	return types, nil
}
