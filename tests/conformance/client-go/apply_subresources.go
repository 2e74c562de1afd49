package main

import (
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	autoscalingapply "k8s.io/client-go/applyconfigurations/autoscaling/v1"
)

func (a applying) status() error {
	before, err := a.read()
	if err != nil {
		return err
	}
	condition := appsapply.DeploymentCondition().WithType(appsv1.DeploymentAvailable).WithStatus(corev1.ConditionTrue).WithReason("Tested")
	wanted := a.replicas(9).WithStatus(appsapply.DeploymentStatus().WithObservedGeneration(1).WithConditions(condition))
	made, err := a.deployments.ApplyStatus(a.ctx, wanted, metav1.ApplyOptions{FieldManager: "controller"})
	if err != nil {
		return err
	}
	return errors.Join(
		same("spec", made.Spec, before.Spec),
		same("generation", made.Generation, before.Generation),
		same("observed generation", made.Status.ObservedGeneration, int64(1)),
		same("conditions", len(made.Status.Conditions), 1),
		same("managers", managers(made), "controller Apply apps/v1 status, owner Apply apps/v1"),
		manages(made, "controller", "status", `{"f:status":{"f:conditions":{"k:{\"type\":\"Available\"}":{".":{},"f:reason":{},"f:status":{},"f:type":{}}},"f:observedGeneration":{}}}`),
	)
}

func (a applying) scale() error {
	if _, err := a.by("owner", a.wanted()); err != nil {
		return err
	}
	wanted := autoscalingapply.Scale().WithName("applied").WithNamespace(a.namespace).WithSpec(autoscalingapply.ScaleSpec().WithReplicas(5))
	_, err := a.deployments.ApplyScale(a.ctx, "applied", wanted, metav1.ApplyOptions{FieldManager: "autoscaler"})
	if err := conflict(err, `conflict with "owner"`, ".spec.replicas"); err != nil {
		return err
	}
	scale, err := a.deployments.ApplyScale(a.ctx, "applied", wanted, metav1.ApplyOptions{FieldManager: "autoscaler", Force: true})
	if err != nil {
		return err
	}
	made, err := a.read()
	if err != nil {
		return err
	}
	if err := errors.Join(
		same("the scale", scale.Spec.Replicas, int32(5)),
		same("the scale's selector", scale.Status.Selector, "app=applied"),
		same("its version", scale.ResourceVersion, made.ResourceVersion),
		same("replicas", *made.Spec.Replicas, int32(5)),
		manages(made, "autoscaler", "scale", `{"f:spec":{"f:replicas":{}}}`),
	); err != nil {
		return err
	}
	_, err = a.by("owner", a.wanted())
	return conflict(err, `conflict with "autoscaler" with subresource "scale"`, ".spec.replicas")
}
