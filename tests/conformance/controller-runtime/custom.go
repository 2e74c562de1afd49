package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	storagev1 "coxswain/controller-runtime-conformance/api/v1"
	storagev1beta1 "coxswain/controller-runtime-conformance/api/v1beta1"
)

const bucketNamespace = "buckets"

//go:embed crds
var crds embed.FS

// checkCustomResources runs an operator on a kind of its own, from the installation of the definition to its removal.
func checkCustomResources(ctx context.Context, config *rest.Config) {
	scheme, err := bucketScheme()
	if err != nil {
		panic(err)
	}
	installed, err := install(config)
	check("a generated definition installs, twice", err)
	direct, clientErr := client.New(config, client.Options{Scheme: scheme})
	if err := errors.Join(err, clientErr); err != nil {
		check("a client of the custom resource", err)
		return
	}
	check("namespace of buckets", direct.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: bucketNamespace}}))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, operator, err := startBuckets(ctx, config, scheme)
	check("an operator on a custom resource starts", err)
	if err != nil {
		return
	}
	checkBucketOperator(ctx, m, operator, direct)
	checkBucketWrites(ctx, direct)
	checkBucketReads(ctx, m, direct)
	check("an uninstalled definition takes its objects with it", uninstalls(ctx, config, direct, installed))
}

func bucketScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme),
		storagev1.SchemeBuilder.AddToScheme(scheme), storagev1beta1.SchemeBuilder.AddToScheme(scheme))
	return scheme, err
}

// install reads the definition from files, as test environments do. The second time it is an update.
func install(config *rest.Config) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	folder, err := os.MkdirTemp("", "crds-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := os.CopyFS(folder, crds); err != nil {
		return nil, err
	}
	options := envtest.CRDInstallOptions{Paths: []string{folder + "/crds"}, ErrorIfPathMissing: true}
	if _, err := envtest.InstallCRDs(config, options); err != nil {
		return nil, err
	}
	return envtest.InstallCRDs(config, options)
}

// uninstalls has the operator finalize what is left of the objects.
func uninstalls(ctx context.Context, config *rest.Config, direct client.Client, installed []*apiextensionsv1.CustomResourceDefinition) error {
	if err := direct.Create(ctx, newBucket("last", "north")); err != nil {
		return err
	}
	last := &storagev1.Bucket{}
	if err := isReady(ctx, direct, "last", last); err != nil {
		return err
	}
	if err := envtest.UninstallCRDs(config, envtest.CRDInstallOptions{CRDs: installed}); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		err := direct.Get(ctx, client.ObjectKeyFromObject(last), last)
		if !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
			return fmt.Errorf("the last bucket is still there: %v", err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := direct.Get(ctx, client.ObjectKey{Name: installed[0].Name}, crd); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the definition is still there: %v, %+v", err, crd.Status.Conditions)
		}
		return nil
	})
}

func newBucket(name, region string) *storagev1.Bucket {
	return &storagev1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: bucketNamespace},
		Spec:       storagev1.BucketSpec{Region: region},
	}
}

// isReady waits for the operator to report the last specification, and reads that.
func isReady(ctx context.Context, reader client.Reader, name string, bucket *storagev1.Bucket) error {
	return eventually(ctx, func() error {
		if err := reader.Get(ctx, client.ObjectKey{Namespace: bucketNamespace, Name: name}, bucket); err != nil {
			return err
		}
		if bucket.Status.ObservedGeneration != bucket.Generation || !meta.IsStatusConditionTrue(bucket.Status.Conditions, "Ready") {
			return fmt.Errorf("generation %d, but %+v", bucket.Generation, bucket.Status)
		}
		return nil
	})
}
