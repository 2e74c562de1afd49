// Command go-facts prints what the published OpenAPI leaves out of the built-in types: which JSON fields
// are pointers in the Go clients (a zero is kept) and which are values left out when they are zero.
// Output: {"io.k8s.api.core.v1.PodSpec": {"hostNetwork": "omit", "replicas": "pointer", "containers": ""}}
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

func main() {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	facts := map[string]map[string]string{}
	for _, t := range s.AllKnownTypes() {
		collect(t, facts)
	}
	for _, v := range []any{metav1.Status{}, metav1.DeleteOptions{}, metav1.APIResourceList{}, metav1.APIGroupList{}, metav1.WatchEvent{}} {
		collect(reflect.TypeOf(v), facts)
	}
	enc := json.NewEncoder(os.Stdout)
	if err := enc.Encode(facts); err != nil {
		panic(err)
	}
}

func collect(t reflect.Type, facts map[string]map[string]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
		collect(t.Elem(), facts)
		return
	case reflect.Struct:
	default:
		return
	}
	name := openAPIName(t)
	if name == "" || facts[name] != nil {
		return
	}
	fields := map[string]string{}
	facts[name] = fields
	addFields(t, fields, facts)
}

func addFields(t reflect.Type, fields map[string]string, facts map[string]map[string]string) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				addFields(inner, fields, facts)
			}
			continue
		}
		if tag == "" || tag == "-" {
			continue
		}
		omit := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch {
		case f.Type.Kind() == reflect.Pointer:
			fields[tag] = "pointer"
		case omit:
			fields[tag] = "omit"
		default:
			fields[tag] = ""
		}
		collect(f.Type, facts)
	}
}

func openAPIName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return ""
	}
	path := strings.Split(t.PkgPath(), "/")
	host := strings.Split(path[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(append(host, path[1:]...), ".") + "." + t.Name()
}
