package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/json"
)

// same returns what differs: what was read, and what should have been.
func same(what string, got, want any) error {
	if equality.Semantic.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s: %s, not %s", what, text(got), text(want))
}

// refused expects a write's error to be of one kind.
func refused(what string, err error, kind func(error) bool) error {
	if kind(err) {
		return nil
	}
	return fmt.Errorf("%s: %v", what, err)
}

func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}
