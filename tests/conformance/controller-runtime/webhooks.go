package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
	"sigs.k8s.io/yaml"

	storagev1 "coxswain/controller-runtime-conformance/api/v1"
	storagev1beta1 "coxswain/controller-runtime-conformance/api/v1beta1"
)

// checkWebhooks serves defaulting, validating and converting webhooks for the custom resource, and a defaulting one for
// Pods, all made by controller-runtime's builder.
func checkWebhooks(ctx context.Context, config *rest.Config) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	options := envtest.WebhookInstallOptions{
		MutatingWebhooks: []*admissionregistrationv1.MutatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "defaulting"},
			Webhooks: []admissionregistrationv1.MutatingWebhook{
				defaulting("mutate-storage-conformance-test-v1-bucket", "storage.conformance.test", "buckets"),
				defaulting("mutate--v1-pod", "", "pods"),
			},
		}},
		ValidatingWebhooks: []*admissionregistrationv1.ValidatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "validating"},
			Webhooks:   []admissionregistrationv1.ValidatingWebhook{validating("validate-storage-conformance-test-v1-bucket")},
		}},
	}
	if err := options.PrepWithoutInstalling(); err != nil {
		check("webhooks are prepared", err)
		return
	}
	defer options.Cleanup()
	check("a manager serves webhooks", serveWebhooks(ctx, config, options))
	definitions, err := installConverted(config, options)
	check("a definition with a conversion webhook installs", err)
	check("the configurations install", options.Install(config))
	warnings := &warnings{}
	scheme, err := bucketScheme()
	if err != nil {
		panic(err)
	}
	recorded := rest.CopyConfig(config)
	recorded.WarningHandlerWithContext = warnings
	direct, err := client.New(recorded, client.Options{Scheme: scheme})
	if err != nil {
		panic(err)
	}
	checkBucketWebhooks(ctx, direct, warnings)
	check("Pods get what the webhook gives by default", podsAreLabelled(ctx, direct))
	check("the definition goes", envtest.UninstallCRDs(config, envtest.CRDInstallOptions{CRDs: definitions}))
}

func checkBucketWebhooks(ctx context.Context, direct client.Client, warnings *warnings) {
	bucket := newBucket("hooked", "north")
	err := direct.Create(ctx, bucket)
	if bucket.Spec.Team != "nobody" {
		err = errors.Join(err, fmt.Errorf("the team is %q", bucket.Spec.Team))
	}
	check("a defaulting webhook fills in", err)
	check("the validator's warnings arrive", warnings.has("hooked is new"))
	refused := newBucket("refused", "south")
	refused.Spec.Team = "nobodies"
	check("a validator refuses a creation", isDenied(direct.Create(ctx, refused), `admission webhook "validate-storage-conformance-test-v1-bucket.conformance.test" denied the request: there are no nobodies`))
	bucket.Spec.Team = "nobodies"
	check("and an update", isDenied(direct.Update(ctx, bucket), "denied the request: nobody became nobodies"))
	check("and a deletion", isDenied(direct.Delete(ctx, bucket), "denied the request: hooked is kept"))
	check("and a dry run", isDenied(direct.Create(ctx, refused, client.DryRunAll), "there are no nobodies"))
	old := &storagev1beta1.Bucket{}
	err = direct.Get(ctx, client.ObjectKeyFromObject(bucket), old)
	if old.Spec.Speed != "slow" {
		err = errors.Join(err, fmt.Errorf("the speed is %q", old.Spec.Speed))
	}
	check("the older version is converted", err)
	older := &storagev1beta1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "older", Namespace: bucketNamespace}, Spec: storagev1beta1.BucketSpec{Region: "south", Speed: "fast"}}
	err = direct.Create(ctx, older)
	made := &storagev1.Bucket{}
	if err == nil {
		err = direct.Get(ctx, client.ObjectKeyFromObject(older), made)
	}
	if made.Spec.Class != "express" {
		err = errors.Join(err, fmt.Errorf("the class is %q", made.Spec.Class))
	}
	check("a webhook for one version sees writes to the other, converted", errors.Join(err, warnings.has("older is new")))
	check("what it allows is deleted", direct.Delete(ctx, made))
}

func isDenied(err error, why string) error {
	if err == nil || !strings.Contains(err.Error(), why) {
		return fmt.Errorf("%q is not in %v", why, err)
	}
	return nil
}

func podsAreLabelled(ctx context.Context, direct client.Client) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: bucketNamespace}}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}}
	if err := direct.Create(ctx, pod); err != nil {
		return err
	}
	if pod.Labels["seen-by"] != "webhook" {
		return fmt.Errorf("labels %v", pod.Labels)
	}
	return direct.Delete(ctx, pod)
}

func serveWebhooks(ctx context.Context, config *rest.Config, options envtest.WebhookInstallOptions) error {
	scheme, err := bucketScheme()
	if err != nil {
		return err
	}
	m, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		}),
	})
	if err != nil {
		return err
	}
	converter := conversion.NewHubSpokeConverter(&storagev1.Bucket{}, conversion.NewSpokeConverter(&storagev1beta1.Bucket{}, toOlder, toNewer))
	err = errors.Join(
		ctrl.NewWebhookManagedBy(m, &storagev1.Bucket{}).WithDefaulter(bucketDefaulter{}).WithValidator(bucketValidator{}).
			WithConverter(converter).Complete(),
		ctrl.NewWebhookManagedBy(m, &corev1.Pod{}).WithDefaulter(podDefaulter{}).Complete(),
	)
	if err != nil {
		return err
	}
	go func() {
		if err := m.Start(ctx); err != nil {
			check("the manager of webhooks", err)
		}
	}()
	return eventually(ctx, func() error { return m.GetWebhookServer().StartedChecker()(nil) })
}

// installConverted is what envtest does for types that convert themselves.
func installConverted(config *rest.Config, options envtest.WebhookInstallOptions) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	text, err := crds.ReadFile("crds/storage.conformance.test_buckets.yaml")
	if err != nil {
		return nil, err
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, definition); err != nil {
		return nil, err
	}
	url := fmt.Sprintf("https://%s:%d/convert", options.LocalServingHost, options.LocalServingPort)
	definition.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: options.LocalServingCAData},
		},
	}
	return envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}})
}

func defaulting(path, group, resource string) admissionregistrationv1.MutatingWebhook {
	none := admissionregistrationv1.SideEffectClassNone
	return admissionregistrationv1.MutatingWebhook{
		Name:                    path[strings.LastIndex(path, "-")+1:] + ".defaulting.conformance.test",
		ClientConfig:            admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "x", Name: "x", Path: &path}},
		Rules:                   rulesFor(group, resource, admissionregistrationv1.Create),
		SideEffects:             &none,
		AdmissionReviewVersions: []string{"v1"},
	}
}

func validating(path string) admissionregistrationv1.ValidatingWebhook {
	none := admissionregistrationv1.SideEffectClassNone
	return admissionregistrationv1.ValidatingWebhook{
		Name:                    path + ".conformance.test",
		ClientConfig:            admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "x", Name: "x", Path: &path}},
		Rules:                   rulesFor("storage.conformance.test", "buckets", admissionregistrationv1.OperationAll),
		SideEffects:             &none,
		AdmissionReviewVersions: []string{"v1"},
	}
}

func rulesFor(group, resource string, operation admissionregistrationv1.OperationType) []admissionregistrationv1.RuleWithOperations {
	rule := admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: []string{resource}}
	return []admissionregistrationv1.RuleWithOperations{{Operations: []admissionregistrationv1.OperationType{operation}, Rule: rule}}
}

// warnings keeps what the server warns of.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _ string, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) has(text string) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !slices.Contains(w.texts, text) {
		return fmt.Errorf("%q is not among %q", text, w.texts)
	}
	return nil
}
