// Command coxswain-conformance runs cert-manager's webhook, as it is, beside a server: with cert-manager's definitions and
// the configurations of its chart. It prints one line for each check and exits with 1 when one fails.
//
// Its module stands below cert-manager's, like the one of the webhook's own command: what makes the webhook is internal there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	cmapi "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const namespace = "certificates"

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
	kubeconfig := flag.String("credentials", "", "the kubeconfig")
	source := flag.String("source", "", "the folder of cert-manager's module")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		panic(err)
	}
	config.QPS = -1
	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{filepath.Join(*source, "deploy/crds")}, ErrorIfPathMissing: true})
	check("the definitions are installed", err)
	admin, err := newClient(config)
	if err != nil {
		panic(err)
	}
	check("namespace", admin.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	webhook, err := startWebhook(ctx, *kubeconfig)
	check("the webhook starts", err)
	if err == nil {
		check("the chart's configurations are in force", configure(ctx, admin, *source, webhook))
		checkIssuers(ctx, admin)
		checkCertificates(ctx, admin)
		checkRequests(ctx, admin, config)
		checkApproval(ctx, admin, config)
	}
	if failed {
		os.Exit(1)
	}
}

func newClient(config *rest.Config) (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), cmapi.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme})
}

// denied wants an error of the webhook that says why.
func denied(err error, why string) error {
	if err == nil {
		return errors.New("it was accepted")
	}
	for _, part := range []string{`admission webhook "webhook.cert-manager.io" denied the request: `, why} {
		if !strings.Contains(err.Error(), part) {
			return fmt.Errorf("%q is not in %q", part, err.Error())
		}
	}
	return nil
}

// freePort is one that nobody listens on.
func freePort() (int32, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return int32(listener.Addr().(*net.TCPAddr).Port), nil
}
