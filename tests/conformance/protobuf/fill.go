package main

import (
	"fmt"
	"math/rand"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"
)

// fill gives an object random values in every place that decoding distinguishes. Where a type can be one of several,
// in Go several at once, it is one.
func fill(object runtime.Object, seed int64) {
	filler := randfill.New().NilChance(.3).NumElements(0, 2).MaxDepth(12).RandSource(rand.NewSource(seed))
	filler.Funcs(
		func(meta *metav1.TypeMeta, c randfill.Continue) {},
		func(quantity *resource.Quantity, c randfill.Continue) { *quantity = resource.MustParse(amount(c)) },
		func(fields *metav1.FieldsV1, c randfill.Continue) {
			fields.Raw = []byte(`{"f:metadata":{"f:labels":{".":{}}}}`)
		},
		func(raw *runtime.RawExtension, c randfill.Continue) { raw.Raw = anyJSON(c) },
		func(value *apiextensions.JSON, c randfill.Continue) { value.Raw = anyJSON(c) },
		func(items *apiextensions.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				items.Schema = filled(c)
			} else {
				items.JSONSchemas = []apiextensions.JSONSchemaProps{*filled(c), {}}
			}
		},
		func(more *apiextensions.JSONSchemaPropsOrBool, c randfill.Continue) {
			if more.Allows = c.Bool(); more.Allows && c.Bool() {
				more.Schema = filled(c)
			}
		},
		func(needs *apiextensions.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				needs.Schema = filled(c)
			} else {
				needs.Property = []string{c.String(0), ""}
			}
		},
	)
	filler.Fill(object)
}

func filled(c randfill.Continue) *apiextensions.JSONSchemaProps {
	props := &apiextensions.JSONSchemaProps{}
	c.Fill(props)
	return props
}

func amount(c randfill.Continue) string {
	suffixes := []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e-3"}
	return fmt.Sprintf("%d%s", c.Intn(4096)-1024, suffixes[c.Intn(len(suffixes))])
}

func anyJSON(c randfill.Continue) []byte {
	texts := []string{`{"a":[1,"b",{"c":null}],"d":1.5}`, `{}`, `{"n":9007199254740993}`, `{"__proto__":{"é":false}}`}
	return []byte(texts[c.Intn(len(texts))])
}
