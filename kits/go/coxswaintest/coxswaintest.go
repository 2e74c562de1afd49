// Package coxswaintest gives tests a Kubernetes control plane, and takes it away after them.
package coxswaintest

import (
	"context"
	"strings"
	"testing"

	"coxswain.dev/coxswain"
)

// Environment is a control plane of a test, with a namespace.
type Environment struct {
	*coxswain.Environment
	// Namespace is the test's own.
	Namespace string
}

// New starts a control plane that ends with the test, and makes a namespace in it. What was started is whole: controllers, a
// scheduler and a simulated node. NewWith has options. A test that fails logs the end of what the server has logged.
func New(t testing.TB) *Environment {
	t.Helper()
	return NewWith(t, coxswain.Options{})
}

// NewWith is New with options: coxswain.Options{CRDPaths: []string{"config/crd/bases"}}.
func NewWith(t testing.TB, options coxswain.Options) *Environment {
	t.Helper()
	environment, err := coxswain.Start(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log of coxswain:\n%s", environment.Log())
		}
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &Environment{Environment: environment, Namespace: Namespace(t, environment)}
}

// longestPrefix leaves room for what makes the name unique.
const longestPrefix = 50

// Namespace makes a namespace whose name begins like the test's, and deletes it after the test: for tests that share a control
// plane, which TestMain has started with coxswain.Start.
func Namespace(t testing.TB, environment *coxswain.Environment) string {
	t.Helper()
	name, err := environment.CreateNamespace(context.Background(), prefixOf(t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.DeleteNamespace(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	return name
}

// prefixOf makes of the name of a test what names of namespaces may begin with.
func prefixOf(test string) string {
	name := strings.Map(func(letter rune) rune {
		if 'a' <= letter && letter <= 'z' || '0' <= letter && letter <= '9' {
			return letter
		}
		return '-'
	}, strings.ToLower(test))
	return strings.TrimRight(strings.TrimLeft(name[:min(len(name), longestPrefix)], "-"), "-") + "-"
}
