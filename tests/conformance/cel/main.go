// Command cel-conformance evaluates expressions, its arguments, as kube-apiserver does. For each it prints a line of
// JSON: what became of it and what it cost, or why it could not be compiled or evaluated.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type answer struct {
	Expr string `json:"expr"`
	// What compiling it reports; then there is nothing else.
	Issues string `json:"issues,omitempty"`
	// The bounds of what it may cost.
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
	// Why it can never be evaluated.
	ProgramError string `json:"programError,omitempty"`
	Value        string `json:"value,omitempty"`
	Error        string `json:"error,omitempty"`
	Cost         uint64 `json:"cost"`
}

// The variables that expressions may use: those of kubernetes.test.ts.
var variables = []struct {
	name  string
	of    *cel.Type
	value any
}{
	{"s", cel.StringType, "hello, wörld"},
	{"t", cel.StringType, "lo"},
	{"u", cel.StringType, "v1.2.3"},
	{"i", cel.IntType, 2},
	{"d", cel.DynType, map[string]any{"a": 1, "s": "Abc", "b": []int64{2, 1}}},
	{"l", cel.ListType(cel.IntType), []int64{3, 1, 2}},
	{"ls", cel.ListType(cel.StringType), []string{"b", "a", "cc"}},
	{"ll", cel.ListType(cel.ListType(cel.StringType)), [][]string{{"x"}, {"y", "z"}}},
	{"m", cel.MapType(cel.StringType, cel.StringType), map[string]string{"k": "v", "q": "w"}},
}

// The most that they may hold; of u nothing is known.
var largest = map[string]uint64{
	"s": 20, "t": 7, "l": 10, "l.@items": 1, "ls": 5, "ls.@items": 30, "m": 8, "m.@keys": 12, "m.@values": 40,
	"ll": 4, "ll.@items": 6, "ll.@items.@items": 9,
}

type sizes struct{}

func (sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	max, known := largest[strings.Join(node.Path(), ".")]
	if !known {
		return nil
	}
	return &checker.SizeEstimate{Max: max}
}

func (sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

func main() {
	env := newEnvironment()
	bindings := map[string]any{}
	for _, variable := range variables {
		bindings[variable.name] = variable.value
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, expr := range os.Args[1:] {
		must(out.Encode(evaluate(env, expr, bindings)))
	}
}

func newEnvironment() *cel.Env {
	options := []cel.EnvOption{cel.Variable("authorizer", library.AuthorizerType)}
	for _, variable := range variables {
		options = append(options, cel.Variable(variable.name, variable.of))
	}
	base := environment.MustBaseEnvSet(version.MajorMinor(1, 36))
	set, err := base.Extend(environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options})
	must(err)
	env, err := set.Env(environment.StoredExpressions)
	must(err)
	return env
}

func evaluate(env *cel.Env, expr string, bindings map[string]any) answer {
	ast, issues := env.Compile(expr)
	if issues.Err() != nil {
		return answer{Expr: expr, Issues: issues.Err().Error()}
	}
	estimate, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: sizes{}})
	must(err)
	result := answer{Expr: expr, Min: estimate.Min, Max: estimate.Max}
	program, err := env.Program(ast)
	if err != nil {
		result.ProgramError = err.Error()
		return result
	}
	value, details, err := program.Eval(bindings)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Value = show(value)
	result.Cost = *details.ActualCost()
	return result
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
