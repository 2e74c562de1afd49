// Package coxswain starts a Kubernetes control plane for tests: the API server, its controllers, a scheduler and simulated nodes
// in one process, in under a second. It ends with the process that started it, however that ends.
//
// In tests, package coxswaintest does the rest: it stops the environment after the test and makes a namespace for it.
package coxswain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Options say what is started. The zero value is a whole cluster with one simulated node.
type Options struct {
	// Executable is the command. Empty: see FindExecutable.
	Executable string
	// Args are further options of the command: "--apiserver-only" for an API server without controllers, as envtest has it,
	// "--nodes=3" for more nodes. Pods run on simulated nodes unless an option says otherwise.
	Args []string
	// CRDPaths are files and folders of CustomResourceDefinitions in YAML or JSON; what else is in them is left out.
	CRDPaths []string
	// StartTimeout bounds the start, besides the context. Zero: a minute.
	StartTimeout time.Duration
	// Log gets what the server logs. Nil: only the end of it is kept, for errors and Environment.Log.
	Log io.Writer
}

// Environment is a control plane that runs.
type Environment struct {
	// Config is the administrator's, without limits on the rate of requests.
	Config *rest.Config
	// Kubeconfig is the path of the administrator's kubeconfig. It is gone after Stop.
	Kubeconfig string
	// Server is the URL, https://127.0.0.1:PORT.
	Server string
	// PID is the server's.
	PID int
	// Version is that of coxswain.
	Version string

	process *process
	http    *http.Client
}

const defaultStartTimeout = time.Minute

// Start starts a control plane and installs the definitions. The context bounds the start alone: what was started runs until Stop.
// The caller must call Stop, unless its process ends.
func Start(ctx context.Context, options Options) (*Environment, error) {
	timeout := options.StartTimeout
	if timeout == 0 {
		timeout = defaultStartTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("coxswain was not ready after %s", timeout))
	defer cancel()
	executable, err := FindExecutable(options.Executable)
	if err != nil {
		return nil, err
	}
	process, err := startProcess(ctx, executable, arguments(options.Args), options.Log)
	if err != nil {
		return nil, err
	}
	environment, err := connect(process)
	if err == nil {
		err = environment.InstallCRDs(ctx, options.CRDPaths...)
	}
	if err != nil {
		return nil, errors.Join(err, process.stop())
	}
	return environment, nil
}

// Stop ends the control plane and waits until it has removed what it wrote. The error has the end of its log when it had ended
// before, or did not end in order. Further calls do nothing.
func (e *Environment) Stop() error {
	return e.process.stop()
}

// Log is the end of what the server has logged so far.
func (e *Environment) Log() string {
	return e.process.log.String()
}

func arguments(more []string) []string {
	fixed := []string{"--ephemeral", "--port=0", "--output=json", "--stop-on-stdin-close"}
	// By itself coxswain takes what runs containers on this machine, if anything does: tests should not depend on that.
	chosen := slices.ContainsFunc(more, func(argument string) bool {
		name, _, _ := strings.Cut(argument, "=")
		return slices.Contains([]string{"--runtime", "--apiserver-only", "--no-node"}, name)
	})
	if !chosen {
		fixed = append(fixed, "--runtime=simulated")
	}
	return append(fixed, more...)
}

func connect(process *process) (*Environment, error) {
	config, err := clientcmd.BuildConfigFromFlags("", process.ready.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig of coxswain cannot be used: %w", err)
	}
	// Tests wait for nobody else.
	config.QPS = 1000
	config.Burst = 2000
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig of coxswain cannot be used: %w", err)
	}
	return &Environment{
		Config:     config,
		Kubeconfig: process.ready.Kubeconfig,
		Server:     process.ready.Server,
		PID:        process.ready.PID,
		Version:    process.ready.Version,
		process:    process,
		http:       client,
	}, nil
}
