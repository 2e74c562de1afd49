package v1

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// SetupWebhookWithManager serves the validation of Greetings, and their conversion.
func SetupWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &Greeting{}).WithValidator(&validator{}).Complete()
}

type validator struct{}

func (*validator) ValidateCreate(_ context.Context, greeting *Greeting) (admission.Warnings, error) {
	return nil, validate(greeting)
}

func (*validator) ValidateUpdate(_ context.Context, _, greeting *Greeting) (admission.Warnings, error) {
	return nil, validate(greeting)
}

func (*validator) ValidateDelete(context.Context, *Greeting) (admission.Warnings, error) {
	return nil, nil
}

func validate(greeting *Greeting) error {
	if greeting.Spec.Name == "nobody" {
		return fmt.Errorf("there is nobody to greet")
	}
	return nil
}
