// Command internal-types prints the layout of Kubernetes' internal forms of some types, which its messages show: the names
// of the fields in their order, where the published form has each, and what it is. Run it from its folder:
//
//	go run . > ../../packages/api/src/internal/internal-types.json
//
// Output: {"VolumeNodeAffinity": [["Required", "required", "*NodeSelector"]]}; a `^` stands for a field of the parent.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	bv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nv1 "k8s.io/api/networking/v1"
	rv1 "k8s.io/api/resource/v1"
	sv1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/networking"
	dra "k8s.io/kubernetes/pkg/apis/resource"
	"k8s.io/kubernetes/pkg/apis/storage"
)

type pair struct{ internal, versioned reflect.Type }

var out = map[string][][3]string{}

func main() {
	for _, p := range []pair{
		{reflect.TypeOf(core.PersistentVolumeClaimSpec{}), reflect.TypeOf(v1.PersistentVolumeClaimSpec{})},
		{reflect.TypeOf(core.PersistentVolumeSource{}), reflect.TypeOf(v1.PersistentVolumeSource{})},
		{reflect.TypeOf(core.VolumeNodeAffinity{}), reflect.TypeOf(v1.VolumeNodeAffinity{})},
		{reflect.TypeOf(core.PodTemplateSpec{}), reflect.TypeOf(v1.PodTemplateSpec{})},
		{reflect.TypeOf(batch.PodFailurePolicy{}), reflect.TypeOf(bv1.PodFailurePolicy{})},
		{reflect.TypeOf(batch.SuccessPolicy{}), reflect.TypeOf(bv1.SuccessPolicy{})},
		{reflect.TypeOf(dra.ResourceClaimSpec{}), reflect.TypeOf(rv1.ResourceClaimSpec{})},
		{reflect.TypeOf(dra.ResourceClaimTemplateSpec{}), reflect.TypeOf(rv1.ResourceClaimTemplateSpec{})},
		{reflect.TypeOf(dra.AllocationResult{}), reflect.TypeOf(rv1.AllocationResult{})},
		{reflect.TypeOf(storage.VolumeAttachmentSpec{}), reflect.TypeOf(sv1.VolumeAttachmentSpec{})},
		{reflect.TypeOf(storage.CSINodeDriver{}), reflect.TypeOf(sv1.CSINodeDriver{})},
		{reflect.TypeOf(networking.ParentReference{}), reflect.TypeOf(nv1.ParentReference{})},
	} {
		walk(p.internal, p.versioned, nil)
	}
	names := []string{}
	for n := range out {
		names = append(names, n)
	}
	b := &strings.Builder{}
	b.WriteString("{\n")
	slices.Sort(names)
	for i, n := range names {
		row, _ := json.Marshal(out[n])
		fmt.Fprintf(b, "%q:%s", n, row)
		if i < len(names)-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	fmt.Print(b.String())
}

type vfield struct {
	json string
	t    reflect.Type
}

func versionedFields(t reflect.Type, m map[string]vfield) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")[0]
		if f.Anonymous && tag == "" {
			versionedFields(f.Type, m)
			continue
		}
		m[f.Name] = vfield{tag, f.Type}
	}
}

func walk(in, ver reflect.Type, parent map[string]vfield) string {
	name := in.Name()
	if _, ok := out[name]; ok {
		return name
	}
	out[name] = nil
	m := map[string]vfield{}
	if ver != nil {
		versionedFields(ver, m)
	}
	out[name] = fields(name, in, m, parent)
	return name
}

func fields(owner string, in reflect.Type, m, parent map[string]vfield) [][3]string {
	rows := [][3]string{}
	for i := 0; i < in.NumField(); i++ {
		f := in.Field(i)
		if f.Type == reflect.TypeOf(metav1.ObjectMeta{}) {
			rows = append(rows, [3]string{"", "metadata", "metadata"})
			continue
		}
		if f.Anonymous {
			rows = append(rows, fields(owner, f.Type, m, parent)...)
			continue
		}
		v, ok := m[f.Name]
		where := ""
		if !ok {
			for n, c := range m {
				if strings.EqualFold(n, f.Name) {
					v, ok = c, true
				}
			}
		}
		if !ok && parent != nil {
			if v, ok = parent[f.Name]; ok {
				where = "^"
			}
		}
		if !ok {
			fmt.Fprintln(os.Stderr, "no versioned field for", owner, f.Name)
			continue
		}
		rows = append(rows, [3]string{f.Name, where + v.json, code(f.Type, v.t, m)})
	}
	return rows
}

func deref(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func code(in, ver reflect.Type, parent map[string]vfield) string {
	switch in {
	case reflect.TypeOf(resource.Quantity{}):
		return "quantity"
	case reflect.TypeOf(metav1.Time{}):
		return "time"
	case reflect.TypeOf(intstr.IntOrString{}):
		return "intOrString"
	}
	switch in.Kind() {
	case reflect.Pointer:
		return "*" + code(in.Elem(), deref(ver), parent)
	case reflect.Slice:
		if in.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + code(in.Elem(), elem(ver), parent)
	case reflect.Map:
		return "{}" + code(in.Elem(), elem(ver), parent)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Struct:
		if strings.HasPrefix(in.PkgPath(), "k8s.io/apimachinery/") {
			return "versioned"
		}
		return walk(in, deref(ver), parent)
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8:
		return "int"
	}
	panic(in.String())
}

func elem(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	t = deref(t)
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		return t.Elem()
	}
	return nil
}
