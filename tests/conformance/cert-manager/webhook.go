package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"text/template"
	"time"

	"github.com/cert-manager/cert-manager/internal/apis/config/shared"
	config "github.com/cert-manager/cert-manager/internal/apis/config/webhook"
	webhook "github.com/cert-manager/cert-manager/internal/webhook"
	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// runningWebhook is where it listens, and whom to trust there.
type runningWebhook struct {
	address string
	caPEM   []byte
}

// startWebhook runs what the command of cert-manager's webhook runs, with a certificate from files.
func startWebhook(ctx context.Context, kubeconfig string) (*runningWebhook, error) {
	certPEM, keyPEM, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "webhook-")
	if err != nil {
		return nil, err
	}
	files := shared.FilesystemServingConfig{CertFile: filepath.Join(folder, "tls.crt"), KeyFile: filepath.Join(folder, "tls.key")}
	if err := os.WriteFile(files.CertFile, certPEM, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(files.KeyFile, keyPEM, 0o600); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	server, err := webhook.NewCertManagerWebhookServer(logr.Discard(), config.WebhookConfiguration{
		SecurePort:           port,
		TLSConfig:            shared.TLSConfig{Filesystem: files},
		KubeConfig:           kubeconfig,
		MetricsListenAddress: "0",
	})
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			return &runningWebhook{address: address, caPEM: certPEM}, connection.Close()
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("the webhook has ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// configure creates what the chart has, with the authority that cert-manager's injector would put in.
func configure(ctx context.Context, admin client.Client, source string, running *runningWebhook) error {
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{}
	if err := render(source, "webhook-mutating-webhook.yaml", running.address, mutating); err != nil {
		return err
	}
	for i := range mutating.Webhooks {
		mutating.Webhooks[i].ClientConfig.CABundle = running.caPEM
	}
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := render(source, "webhook-validating-webhook.yaml", running.address, validating); err != nil {
		return err
	}
	for i := range validating.Webhooks {
		validating.Webhooks[i].ClientConfig.CABundle = running.caPEM
	}
	if err := admin.Create(ctx, mutating); err != nil {
		return err
	}
	return admin.Create(ctx, validating)
}

// render fills a template of the chart as Helm would with `webhook.url.host`.
func render(source, name, address string, into any) error {
	text, err := os.ReadFile(filepath.Join(source, "deploy/charts/cert-manager/templates", name))
	if err != nil {
		return err
	}
	names := map[string]string{
		"webhook.fullname":       "cert-manager-webhook",
		"webhook.name":           "webhook",
		"cert-manager.namespace": "cert-manager",
	}
	functions := template.FuncMap{
		"include": func(name string, _ any) string { return names[name] },
		"quote":   func(value any) string { return fmt.Sprintf("%q", value) },
		"nindent": func(_ int, text string) string { return text },
		"toYaml":  func(any) string { return "" },
	}
	parsed, err := template.New(name).Funcs(functions).Parse(`{{ define "webhook.fullname" }}cert-manager-webhook{{ end }}` + string(text))
	if err != nil {
		return err
	}
	values := map[string]any{"webhook": map[string]any{
		"timeoutSeconds":                 30,
		"url":                            map[string]any{"host": address},
		"mutatingWebhookConfiguration":   map[string]any{},
		"validatingWebhookConfiguration": map[string]any{},
	}}
	var rendered bytes.Buffer
	if err := parsed.Execute(&rendered, map[string]any{"Values": values, "Release": map[string]any{"Name": "cert-manager"}}); err != nil {
		return err
	}
	return yaml.UnmarshalStrict(rendered.Bytes(), into)
}
