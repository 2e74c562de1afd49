// Command helm-conformance installs, upgrades, rolls back and uninstalls a chart through Helm's own packages, once by
// server-side apply and once by three-way merges. It prints one line for each check and exits with 1 when one fails.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/client-go/kubernetes"
)

//go:embed testdata/shop
var testdata embed.FS

var failed bool

func check(name string, err error) {
	if err != nil {
		failed = true
		fmt.Printf("FAIL %s: %v\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Printf("ok %s\n", name)
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file")
	flag.Parse()
	kube.ManagedFieldsManager = "helm"
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	methods := []shop{
		{namespace: "helm-ssa", method: "ssa"},
		{namespace: "helm-csa", method: "csa"},
	}
	for _, s := range methods {
		s.ctx = ctx
		if err := s.connect(*kubeconfig); err != nil {
			panic(err)
		}
		go s.runJobs()
		s.check()
	}
	if failed {
		os.Exit(1)
	}
}

// shop is one release of the chart, and the method by which it is written: ssa or csa, as Helm records it.
type shop struct {
	ctx       context.Context
	namespace string
	method    string
	chart     *chart.Chart
	config    *action.Configuration
	client    kubernetes.Interface
}

func (s *shop) connect(kubeconfig string) (err error) {
	if s.chart, err = load(); err != nil {
		return err
	}
	settings := cli.New()
	settings.KubeConfig = kubeconfig
	settings.SetNamespace(s.namespace)
	s.config = action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(os.Stderr, nil)))
	if err = s.config.Init(settings.RESTClientGetter(), s.namespace, "secret"); err != nil {
		return err
	}
	s.client, err = s.config.KubernetesClientSet()
	return err
}

func load() (*chart.Chart, error) {
	var files []*archive.BufferedFile
	err := fs.WalkDir(testdata, "testdata/shop", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := testdata.ReadFile(path)
		files = append(files, &archive.BufferedFile{Name: strings.TrimPrefix(path, "testdata/shop/"), Data: data})
		return err
	})
	if err != nil {
		return nil, err
	}
	return loader.LoadFiles(files)
}
