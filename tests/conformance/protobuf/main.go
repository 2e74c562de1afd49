// Command protobuf-conformance makes random objects of kinds and writes each as client-go sends it, in protobuf, and as
// what that says in JSON. The arguments are kinds, as in "apps/v1/Deployment" and "/v1/Pod"; each line of the answer is
// JSON. The same arguments give the same lines.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// line is one object. []byte is base64 in JSON.
type line struct {
	Name string
	// Protobuf is what client-go sends of the object.
	Protobuf []byte
	// JSON is what client-go reads in that.
	JSON json.RawMessage
	// FromJSON is what client-go sends of what it reads in JSON.
	FromJSON []byte
}

func main() {
	seeds := flag.Int("seeds", 1, "objects of each kind")
	flag.Parse()
	utilruntime.Must(apiextensions.AddToScheme(scheme.Scheme))
	utilruntime.Must(apiregistration.AddToScheme(scheme.Scheme))
	out := bufio.NewWriter(os.Stdout)
	for _, name := range flag.Args() {
		for seed := range *seeds {
			made, err := madeOf(name, seed)
			if err == nil {
				err = json.NewEncoder(out).Encode(made)
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s, seed %d: %v\n", name, seed, err)
				os.Exit(1)
			}
		}
	}
	utilruntime.Must(out.Flush())
}

func madeOf(name string, seed int) (*line, error) {
	parts := strings.Split(name, "/")
	kind := schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	hash := fnv.New64a()
	fmt.Fprint(hash, name, seed)
	fill(object, int64(hash.Sum64()))
	object.GetObjectKind().SetGroupVersionKind(kind)
	made := &line{Name: fmt.Sprintf("%s, seed %d", name, seed)}
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	if made.Protobuf, err = runtime.Encode(serializer, object); err != nil {
		return nil, err
	}
	if object, err = runtime.Decode(serializer, made.Protobuf); err != nil {
		return nil, err
	}
	if made.JSON, err = json.Marshal(object); err != nil {
		return nil, err
	}
	if object, err = runtime.Decode(scheme.Codecs.UniversalDeserializer(), made.JSON); err != nil {
		return nil, err
	}
	made.FromJSON, err = runtime.Encode(serializer, object)
	return made, err
}
