package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
)

// applying is one Deployment and those who write it.
type applying struct {
	ctx         context.Context
	deployments appsclient.DeploymentInterface
	namespace   string
}

func checkApply(ctx context.Context, client kubernetes.Interface, ns string, name func(string) string) {
	a := applying{ctx, client.AppsV1().Deployments(ns), ns}
	check(name("apply creates"), a.creates())
	check(name("apply again writes nothing"), a.unchanged())
	check(name("a dry run of an apply writes nothing"), a.dryRun())
	check(name("apply conflicts with another's value"), a.conflicts())
	check(name("apply conflicts with an update"), a.conflictsWithUpdate())
	check(name("apply shares an equal value and separate items"), a.shares())
	check(name("apply by force takes over"), a.forces())
	check(name("apply gives up what it no longer says"), a.givesUp())
	check(name("apply to the status"), a.status())
	check(name("apply to the scale"), a.scale())
	check(name("extracting what a manager applied"), a.extracts())
	check(name("apply refuses what is wrong"), a.refuses())
}

// wanted is what the manager "owner" applies.
func (a applying) wanted() *appsapply.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied"}
	container := coreapply.Container().WithName("main").WithImage("nginx:1").
		WithEnv(coreapply.EnvVar().WithName("A").WithValue("1")).
		WithPorts(coreapply.ContainerPort().WithContainerPort(80))
	return appsapply.Deployment("applied", a.namespace).WithLabels(labels).WithAnnotations(map[string]string{"note": "first"}).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(2).
			WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().WithContainers(container))))
}

func (a applying) replicas(n int32) *appsapply.DeploymentApplyConfiguration {
	return appsapply.Deployment("applied", a.namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(n))
}

func (a applying) by(manager string, wanted *appsapply.DeploymentApplyConfiguration) (*appsv1.Deployment, error) {
	return a.deployments.Apply(a.ctx, wanted, metav1.ApplyOptions{FieldManager: manager})
}

func (a applying) force(manager string, wanted *appsapply.DeploymentApplyConfiguration) (*appsv1.Deployment, error) {
	return a.deployments.Apply(a.ctx, wanted, metav1.ApplyOptions{FieldManager: manager, Force: true})
}

func (a applying) read() (*appsv1.Deployment, error) {
	return a.deployments.Get(a.ctx, "applied", metav1.GetOptions{})
}

func (a applying) creates() error {
	made, err := a.by("owner", a.wanted())
	if err != nil {
		return err
	}
	read, err := a.read()
	if err != nil {
		return err
	}
	return errors.Join(
		same("what is answered and what is read", made, read),
		same("generation", made.Generation, int64(1)),
		same("replicas", *made.Spec.Replicas, int32(2)),
		same("the port's defaulted protocol", made.Spec.Template.Spec.Containers[0].Ports[0].Protocol, corev1.ProtocolTCP),
		same("managers", managers(made), "owner Apply apps/v1"),
		manages(made, "owner", "", `"f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}}}`),
		manages(made, "owner", "", `"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}`),
	)
}

func (a applying) unchanged() error {
	before, err := a.read()
	if err != nil {
		return err
	}
	after, err := a.by("owner", a.wanted())
	if err != nil {
		return err
	}
	return same("the object", after, before)
}

func (a applying) dryRun() error {
	before, err := a.read()
	if err != nil {
		return err
	}
	tried, err := a.deployments.Apply(a.ctx, a.wanted().WithAnnotations(map[string]string{"note": "tried"}), metav1.ApplyOptions{FieldManager: "owner", DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	after, err := a.read()
	if err != nil {
		return err
	}
	return errors.Join(same("the answer's annotation", tried.Annotations["note"], "tried"), same("what is stored", after, before))
}

func (a applying) conflicts() error {
	_, err := a.by("other", a.replicas(3))
	return errors.Join(
		conflict(err, `conflict with "owner"`, ".spec.replicas"),
		same("message", err.Error(), `Apply failed with 1 conflict: conflict with "owner": .spec.replicas`),
	)
}

func (a applying) conflictsWithUpdate() error {
	patch := []byte(`{"metadata":{"annotations":{"note":"patched"}}}`)
	if _, err := a.deployments.Patch(a.ctx, "applied", types.StrategicMergePatchType, patch, metav1.PatchOptions{FieldManager: "patcher"}); err != nil {
		return err
	}
	_, err := a.by("owner", a.wanted())
	if err := conflict(err, `conflict with "patcher" using apps/v1`, ".metadata.annotations.note"); err != nil {
		return err
	}
	_, err = a.force("owner", a.wanted())
	return err
}

func (a applying) shares() error {
	container := coreapply.Container().WithName("main").WithEnv(coreapply.EnvVar().WithName("B").WithValue("2"))
	other := a.replicas(2)
	other.Spec.WithTemplate(coreapply.PodTemplateSpec().WithSpec(coreapply.PodSpec().WithContainers(container)))
	made, err := a.by("other", other)
	if err != nil {
		return err
	}
	env := []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}
	if err := same("environment", made.Spec.Template.Spec.Containers[0].Env, env); err != nil {
		return err
	}
	if _, err = a.by("owner", a.wanted().WithSpec(a.wanted().Spec.WithReplicas(4))); err == nil {
		return errors.New("a shared value was changed by one of its managers")
	}
	if err := conflict(err, `conflict with "other"`, ".spec.replicas"); err != nil {
		return err
	}
	if made, err = a.by("other", appsapply.Deployment("applied", a.namespace)); err != nil {
		return err
	}
	return errors.Join(
		same("replicas that the other gave up", *made.Spec.Replicas, int32(2)),
		same("environment that the other gave up", made.Spec.Template.Spec.Containers[0].Env, env[:1]),
		same("managers", managers(made), "owner Apply apps/v1"),
	)
}

func (a applying) forces() error {
	made, err := a.force("other", a.replicas(3))
	if err != nil {
		return err
	}
	if err := errors.Join(
		same("replicas", *made.Spec.Replicas, int32(3)),
		same("managers", managers(made), "other Apply apps/v1, owner Apply apps/v1"),
		manages(made, "other", "", `{"f:spec":{"f:replicas":{}}}`),
	); err != nil {
		return err
	}
	_, err = a.by("owner", a.wanted())
	return conflict(err, `conflict with "other"`, ".spec.replicas")
}

func (a applying) givesUp() error {
	without := a.wanted()
	without.Spec.Replicas, without.Annotations = nil, nil
	made, err := a.by("owner", without)
	if err != nil {
		return err
	}
	if err := errors.Join(
		same("the annotation", made.Annotations, map[string]string(nil)),
		same("replicas that another manages", *made.Spec.Replicas, int32(3)),
	); err != nil {
		return err
	}
	if made, err = a.by("other", appsapply.Deployment("applied", a.namespace)); err != nil {
		return err
	}
	return errors.Join(same("replicas by default", *made.Spec.Replicas, int32(1)), same("managers", managers(made), "owner Apply apps/v1"))
}

func (a applying) extracts() error {
	made, err := a.read()
	if err != nil {
		return err
	}
	extracted, err := appsapply.ExtractDeployment(made, "owner")
	if err != nil {
		return err
	}
	wanted := a.wanted()
	wanted.Spec.Replicas = nil
	return same("what the owner applied", extracted, wanted)
}

func (a applying) refuses() error {
	_, unnamed := a.by("", a.wanted())
	_, unknownUID := a.by("owner", appsapply.Deployment("absent", a.namespace).WithUID("7"))
	_, stale := a.by("owner", a.wanted().WithResourceVersion("1"))
	_, absentStatus := a.deployments.ApplyStatus(a.ctx, appsapply.Deployment("absent", a.namespace), metav1.ApplyOptions{FieldManager: "owner"})
	invalid := a.wanted()
	invalid.Spec.WithReplicas(-1)
	_, negative := a.force("owner", invalid)
	return errors.Join(
		refused("no manager", unnamed, apierrors.IsInvalid),
		refused("the uid of nothing", unknownUID, apierrors.IsConflict),
		refused("an old version", stale, apierrors.IsConflict),
		refused("the status of nothing", absentStatus, apierrors.IsNotFound),
		refused("negative replicas", negative, apierrors.IsInvalid),
	)
}

// conflict expects the one cause of a refused apply.
func conflict(err error, message, field string) error {
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("not a conflict: %v", err)
	}
	cause, found := apierrors.StatusCause(err, metav1.CauseTypeFieldManagerConflict)
	if !found {
		return fmt.Errorf("a conflict without its cause: %v", err)
	}
	if !strings.HasPrefix(cause.Message, message) {
		return fmt.Errorf("the cause says %q, not %q", cause.Message, message)
	}
	return same("the cause's field", cause.Field, field)
}

// managers lists who manages something, with how, in which version and where, in the order of their names.
func managers(object metav1.Object) string {
	var all []string
	for _, entry := range object.GetManagedFields() {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", entry.Manager, entry.Operation, entry.APIVersion, entry.Subresource)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// manages expects a part of what a manager's entry says, as JSON.
func manages(object metav1.Object, manager, subresource, fields string) error {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager != manager || entry.Subresource != subresource {
			continue
		}
		if text := string(entry.FieldsV1.Raw); !strings.Contains(text, fields) {
			return fmt.Errorf("%s manages %s, without %s", manager, text, fields)
		}
		return nil
	}
	return fmt.Errorf("%s manages nothing", manager)
}
