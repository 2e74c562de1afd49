package coxswain

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

const namespacesPath = "/api/v1/namespaces"

type namespace struct {
	Metadata struct {
		Name         string `json:"name,omitempty"`
		GenerateName string `json:"generateName,omitempty"`
	} `json:"metadata"`
}

// CreateNamespace makes one whose name begins with the prefix, and that nobody else has. It returns the name.
func (e *Environment) CreateNamespace(ctx context.Context, prefix string) (string, error) {
	var wanted, made namespace
	wanted.Metadata.GenerateName = prefix
	body, err := json.Marshal(wanted)
	if err != nil {
		return "", err
	}
	answer, err := e.request(ctx, http.MethodPost, namespacesPath, "application/json", body)
	if err != nil {
		return "", fmt.Errorf("the namespace was not created: %w", err)
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return "", err
	}
	return made.Metadata.Name, nil
}

// DeleteNamespace begins to delete one, and does not wait for its objects to be gone.
func (e *Environment) DeleteNamespace(ctx context.Context, name string) error {
	if _, err := e.request(ctx, http.MethodDelete, namespacesPath+"/"+name, "", nil); err != nil {
		return fmt.Errorf("the namespace was not deleted: %w", err)
	}
	return nil
}
