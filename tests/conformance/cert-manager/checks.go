package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"slices"

	cmapiutil "github.com/cert-manager/cert-manager/pkg/api/util"
	cmapi "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: namespace} }

func checkIssuers(ctx context.Context, admin client.Client) {
	issuer := &cmapi.Issuer{ObjectMeta: named("nobody")}
	check("an issuer that issues nothing is refused", denied(admin.Create(ctx, issuer), "at least one issuer must be configured"))
	issuer = &cmapi.Issuer{ObjectMeta: named("self"), Spec: cmapi.IssuerSpec{IssuerConfig: cmapi.IssuerConfig{SelfSigned: &cmapi.SelfSignedIssuer{}}}}
	check("a self-signed issuer is accepted", admin.Create(ctx, issuer))
	issuer.Spec.CA = &cmapi.CAIssuer{SecretName: "ca"}
	check("an update to two issuers in one is refused", denied(admin.Update(ctx, issuer), "may not specify more than one issuer type"))
	dry := &cmapi.Issuer{ObjectMeta: named("dry")}
	check("a dry run is refused like the write", denied(admin.Create(ctx, dry, client.DryRunAll), "at least one issuer must be configured"))
	issuer.Status.Conditions = []cmapi.IssuerCondition{{Type: cmapi.IssuerConditionReady, Status: cmmeta.ConditionTrue}}
	issuer.Spec.CA = nil
	check("its status is written", admin.Status().Update(ctx, issuer))
}

func checkCertificates(ctx context.Context, admin client.Client) {
	spec := cmapi.CertificateSpec{SecretName: "tls", CommonName: "example.com", IssuerRef: cmmeta.ObjectReference{Name: "self"}}
	check("a certificate is accepted", admin.Create(ctx, &cmapi.Certificate{ObjectMeta: named("good"), Spec: spec}))
	spec.CommonName = ""
	check("a certificate for nobody is refused", denied(admin.Create(ctx, &cmapi.Certificate{ObjectMeta: named("bad"), Spec: spec}), "at least one of commonName"))
}

// signingRequest is a request for a certificate, in PEM.
func signingRequest() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "example.com"}}, key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), nil
}

func checkRequests(ctx context.Context, admin client.Client, config *rest.Config) {
	csr, err := signingRequest()
	if err != nil {
		panic(err)
	}
	request := &cmapi.CertificateRequest{ObjectMeta: named("mine")}
	request.Spec = cmapi.CertificateRequestSpec{Request: csr, IssuerRef: cmmeta.ObjectReference{Name: "self"}}
	asAnn, err := as(config, "ann", "sailors")
	if err == nil {
		err = admin.Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "sailors"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "sailors"}},
		})
	}
	check("another user", err)
	check("a request is accepted", asAnn.Create(ctx, request))
	if request.Spec.Username != "ann" || !slices.Contains(request.Spec.Groups, "sailors") {
		err = fmt.Errorf("%q in %q", request.Spec.Username, request.Spec.Groups)
	}
	check("the mutating webhook has written down who asks", err)
	request.Spec.Username = "somebody else"
	check("nobody asks in another's name later", denied(admin.Update(ctx, request), "cannot change"))
}

// as is a client of somebody else.
func as(config *rest.Config, user string, groups ...string) (client.Client, error) {
	impersonating := rest.CopyConfig(config)
	impersonating.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return newClient(impersonating)
}

// checkApproval: who may write the status of requests may not approve them for that alone.
func checkApproval(ctx context.Context, admin client.Client, config *rest.Config) {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "writers"}}
	role.Rules = []rbacv1.PolicyRule{{APIGroups: []string{"cert-manager.io"}, Resources: []string{"certificaterequests", "certificaterequests/status"}, Verbs: []string{"*"}}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "writers"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "writers"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "bob"}},
	}
	err := admin.Create(ctx, role)
	if err == nil {
		err = admin.Create(ctx, binding)
	}
	check("a user with the right to write requests", err)
	asBob, err := as(config, "bob")
	if err != nil {
		panic(err)
	}
	approve := func(by client.Client) error {
		request := &cmapi.CertificateRequest{}
		if err := by.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "mine"}, request); err != nil {
			return err
		}
		cmapiutil.SetCertificateRequestCondition(request, cmapi.CertificateRequestConditionApproved, cmmeta.ConditionTrue, "Checked", "fine")
		return by.Status().Update(ctx, request)
	}
	check("who may not approve is refused by the webhook, which has asked the server", denied(approve(asBob), `user "bob" does not have permissions to set approved/denied conditions`))
	check("who may approve is not", approve(admin))
}
