package coxswain

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fake writes a command that stands in for coxswain: what starts, says and ends wrongly.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "coxswain")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartFails(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"a command that ends", "echo the disk is full >&2; exit 3", "ended before it was ready: exit status 3; the end of its log:\nthe disk is full"},
		{"a command that ends well", "exit 0", "ended before it was ready: EOF"},
		{"a command that prints something else", "echo hello; exec sleep 60", `printed "hello\n" where a line of JSON belongs`},
		{"a command that never gets ready", "echo waiting >&2; exec sleep 60", "was not ready after 500ms; the end of its log:\nwaiting"},
		{"a kubeconfig that is not there", `echo '{"kubeconfig":"/nowhere/kubeconfig"}'; exec cat`, "the kubeconfig of coxswain cannot be used"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Start(context.Background(), Options{Executable: fake(t, tc.script), StartTimeout: 500 * time.Millisecond})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestThereIsNoExecutable(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(ExecutableVariable, "")
	for _, tc := range []struct{ named, variable, want string }{
		{"", "", "neither Options.Executable nor COXSWAIN_EXECUTABLE names it, and there is no coxswain on PATH"},
		{"", "/nowhere/coxswain", "COXSWAIN_EXECUTABLE names /nowhere/coxswain"},
		{"/nowhere/else", "/nowhere/coxswain", "Options.Executable names /nowhere/else"},
	} {
		t.Setenv(ExecutableVariable, tc.variable)
		_, err := Start(context.Background(), Options{Executable: tc.named})
		if !errors.Is(err, ErrNoExecutable) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

func start(t *testing.T, options Options) *Environment {
	t.Helper()
	if _, err := FindExecutable(options.Executable); err != nil {
		t.Skip(err)
	}
	environment, err := Start(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	return environment
}

func TestStopRemovesWhatWasWritten(t *testing.T) {
	environment := start(t, Options{Args: []string{"--apiserver-only"}})
	if _, err := os.Stat(environment.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := environment.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(environment.Kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no kubeconfig", err)
	}
	if !strings.Contains(environment.Log(), "stopping") {
		t.Errorf("the log is %q", environment.Log())
	}
}

func TestAServerThatHasDiedIsAnError(t *testing.T) {
	environment := start(t, Options{Args: []string{"--apiserver-only"}})
	if err := environment.process.command.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-environment.process.ended
	if err := environment.Stop(); err == nil || !strings.Contains(err.Error(), "had ended before it was stopped: signal: killed") {
		t.Errorf("got %v", err)
	}
}

func TestDefinitions(t *testing.T) {
	environment := start(t, Options{Args: []string{"--apiserver-only"}, CRDPaths: []string{"example/crds"}})
	defer environment.Stop()
	ctx := context.Background()
	if _, err := environment.request(ctx, "GET", "/apis/example.test/v1/sites", "", nil); err != nil {
		t.Error(err)
	}
	if err := environment.InstallCRDs(ctx, "example/crds/sites.yaml"); err != nil {
		t.Errorf("for the second time: %v", err)
	}
	if err := environment.InstallCRDs(ctx, "nowhere"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that there is no such folder", err)
	}
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	text := "kind: ConfigMap\n---\nkind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: wrong}\nspec: {}\n"
	if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := environment.InstallCRDs(ctx, broken); err == nil || !strings.Contains(err.Error(), "the definition wrong was not installed") {
		t.Errorf("got %v", err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var all strings.Builder
	kept := tail{also: &all}
	for range 3 * tailBytes / 10 {
		if _, err := kept.Write([]byte("123456789\n")); err != nil {
			t.Fatal(err)
		}
	}
	if text := kept.String(); !strings.HasPrefix(text, "123456789\n") || len(text) < tailBytes-20 {
		t.Errorf("%d bytes are kept, from %q on", len(text), text[:20])
	}
	if all.Len() != 3*tailBytes/10*10 {
		t.Errorf("%d bytes were passed on", all.Len())
	}
}
