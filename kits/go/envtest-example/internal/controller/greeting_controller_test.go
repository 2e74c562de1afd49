package controller

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	v1 "example.test/greetings/api/v1"
	"example.test/greetings/api/v1beta1"
)

var _ = Describe("Greetings", func() {
	var namespace string

	BeforeEach(func() {
		made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "greetings-"}}
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		namespace = made.Name
	})

	It("are kept in a ConfigMap, which comes back", func() {
		greeting := &v1.Greeting{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "first"}, Spec: v1.GreetingSpec{Name: "Ada"}}
		Expect(k8sClient.Create(ctx, greeting)).To(Succeed())
		key := client.ObjectKeyFromObject(greeting)

		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, key, greeting)).To(Succeed())
			g.Expect(greeting.Status.Text).To(Equal("Hello, Ada!"))
			g.Expect(meta.IsStatusConditionTrue(greeting.Status.Conditions, "Ready")).To(BeTrue())
		}).Should(Succeed())

		var kept corev1.ConfigMap
		Expect(k8sClient.Get(ctx, key, &kept)).To(Succeed())
		Expect(metav1.IsControlledBy(&kept, greeting)).To(BeTrue())
		before := kept.UID
		Expect(k8sClient.Delete(ctx, &kept)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, key, &kept)).To(Succeed())
			g.Expect(kept.UID).NotTo(Equal(before))
			g.Expect(kept.Data).To(HaveKeyWithValue("text", "Hello, Ada!"))
		}).Should(Succeed())
	})

	It("are refused when the schema says so", func() {
		err := k8sClient.Create(ctx, &v1.Greeting{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "rude"},
			Spec:       v1.GreetingSpec{Name: "Ada", Words: "Hey"},
		})
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
	})

	It("are converted between versions by the webhook of the manager", func() {
		Expect(k8sClient.Create(ctx, &v1beta1.Greeting{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "old"},
			Spec:       v1beta1.GreetingSpec{Text: "Welcome, Grace"},
		})).To(Succeed())
		key := client.ObjectKey{Namespace: namespace, Name: "old"}
		var stored v1.Greeting
		Expect(k8sClient.Get(ctx, key, &stored)).To(Succeed())
		Expect(stored.Spec).To(Equal(v1.GreetingSpec{Words: "Welcome", Name: "Grace"}))
		var old v1beta1.Greeting
		Expect(k8sClient.Get(ctx, key, &old)).To(Succeed())
		Expect(old.Spec.Text).To(Equal("Welcome, Grace"))
	})

	It("have a validating webhook that leads to this process", func() {
		var found admissionregistrationv1.ValidatingWebhookConfiguration
		Expect(k8sClient.Get(ctx, client.ObjectKey{Name: "validating-webhook-configuration"}, &found)).To(Succeed())
		Expect(found.Webhooks).To(HaveLen(1))
		Expect(found.Webhooks[0].ClientConfig.CABundle).NotTo(BeEmpty())
		Expect(found.Webhooks[0].ClientConfig.URL).To(HaveValue(HaveSuffix("/validate-example-test-v1-greeting")))
	})

	It("are there for other users as roles say", func() {
		admin, err := testEnv.AddUser(envtest.User{Name: "jane", Groups: []string{"system:masters"}}, nil)
		Expect(err).NotTo(HaveOccurred())
		asAdmin, err := client.New(admin.Config(), client.Options{Scheme: k8sClient.Scheme()})
		Expect(err).NotTo(HaveOccurred())
		Expect(asAdmin.List(ctx, &v1.GreetingList{}, client.InNamespace(namespace))).To(Succeed())

		other, err := testEnv.AddUser(envtest.User{Name: "joe", Groups: []string{"visitors"}}, nil)
		Expect(err).NotTo(HaveOccurred())
		asOther, err := client.New(other.Config(), client.Options{Scheme: k8sClient.Scheme(), Mapper: k8sClient.RESTMapper()})
		Expect(err).NotTo(HaveOccurred())
		err = asOther.List(ctx, &v1.GreetingList{}, client.InNamespace(namespace))
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		Expect(err).To(MatchError(ContainSubstring(`User "joe" cannot list resource "greetings"`)))

		named := metav1.ObjectMeta{Namespace: namespace, Name: "visitors"}
		Expect(k8sClient.Create(ctx, &rbacv1.Role{
			ObjectMeta: named,
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"example.test"}, Resources: []string{"greetings"}, Verbs: []string{"list"}}},
		})).To(Succeed())
		Expect(k8sClient.Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: named,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "visitors"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "visitors"}},
		})).To(Succeed())
		Eventually(func() error { return asOther.List(ctx, &v1.GreetingList{}, client.InNamespace(namespace)) }).Should(Succeed())
	})
})
