package coxswain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"
	yamljson "sigs.k8s.io/yaml"
)

const (
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	// pollInterval is between two looks at a definition that is not yet established.
	pollInterval = 10 * time.Millisecond
)

// definition is what is read of a CustomResourceDefinition.
type definition struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Conditions []struct {
			Type    string `json:"type"`
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"conditions"`
	} `json:"status"`
}

// InstallCRDs creates the CustomResourceDefinitions in the files and folders, or replaces those that are there, and returns when
// all are established. Folders are read without those below them; what is no definition is left out.
func (e *Environment) InstallCRDs(ctx context.Context, paths ...string) error {
	var names []string
	for _, path := range paths {
		found, err := readDefinitions(path)
		if err != nil {
			return err
		}
		for _, document := range found {
			name, err := e.installDefinition(ctx, document)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
	}
	for _, name := range names {
		if err := e.waitUntilEstablished(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// installDefinition applies one: it may be there from an earlier call.
func (e *Environment) installDefinition(ctx context.Context, document []byte) (string, error) {
	var read definition
	if err := json.Unmarshal(document, &read); err != nil {
		return "", err
	}
	path := definitionsPath + "/" + read.Metadata.Name + "?fieldManager=coxswain-testing&force=true"
	if _, err := e.request(ctx, http.MethodPatch, path, "application/apply-patch+yaml", document); err != nil {
		return "", fmt.Errorf("the definition %s was not installed: %w", read.Metadata.Name, err)
	}
	return read.Metadata.Name, nil
}

func (e *Environment) waitUntilEstablished(ctx context.Context, name string) error {
	for {
		answer, err := e.request(ctx, http.MethodGet, definitionsPath+"/"+name, "", nil)
		if err != nil {
			return err
		}
		var current definition
		if err := json.Unmarshal(answer, &current); err != nil {
			return err
		}
		for _, condition := range current.Status.Conditions {
			if condition.Type == "Established" && condition.Status == "True" {
				return nil
			}
			if condition.Type == "NamesAccepted" && condition.Status == "False" {
				return fmt.Errorf("the definition %s is not served: %s", name, condition.Message)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the definition %s was not established: %w", name, context.Cause(ctx))
		case <-time.After(pollInterval):
		}
	}
}

// request is one to the server. An answer that is no success is an error with what the server says.
func (e *Environment) request(ctx context.Context, method, path, contentType string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, e.Server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := e.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 300 {
		return answer, nil
	}
	var status struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(answer, &status); err != nil || status.Message == "" {
		return nil, fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return nil, errors.New(status.Message)
}

var definitionFiles = []string{".yaml", ".yml", ".json"}

// readDefinitions returns those of a file, or of the files in a folder, in JSON.
func readDefinitions(path string) ([][]byte, error) {
	files := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(entry fs.DirEntry) bool {
			return entry.IsDir() || !slices.Contains(definitionFiles, filepath.Ext(entry.Name()))
		})
		files = nil
		for _, entry := range entries {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	var definitions [][]byte
	for _, file := range files {
		found, err := readFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		definitions = append(definitions, found...)
	}
	return definitions, nil
}

func readFile(file string) ([][]byte, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	var definitions [][]byte
	for reader := yaml.NewYAMLReader(bufio.NewReader(text)); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return definitions, nil
		}
		if err != nil {
			return nil, err
		}
		object, err := yamljson.YAMLToJSON(document)
		if err != nil {
			return nil, err
		}
		var read definition
		if err := json.Unmarshal(object, &read); err == nil && read.Kind == "CustomResourceDefinition" {
			definitions = append(definitions, object)
		}
	}
}
