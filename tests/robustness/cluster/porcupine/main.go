// Answers for each file of a recorded history, in the order of its arguments, whether porcupine finds it linearizable.
//
// The model is the whole store, not one key: its state has all keys and the newest revision.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// version is what a key has, and the revision of its last change.
type version struct {
	Key      string  `json:"key"`
	Value    string  `json:"value"`
	Revision float64 `json:"revision"`
}

type outcome struct {
	Kind     string    `json:"kind"`
	Reason   string    `json:"reason"`
	Revision *float64  `json:"revision"`
	Value    *string   `json:"value"`
	Item     *version  `json:"item"`
	Items    []version `json:"items"`
}

type operation struct {
	Type     string          `json:"type"`
	Do       string          `json:"do"`
	Key      string          `json:"key"`
	Value    string          `json:"value"`
	Token    string          `json:"token"`
	Expected *float64        `json:"expectedRevision"`
	At       json.RawMessage `json:"at"`
	Call     int64           `json:"call"`
	Return   int64           `json:"return"`
	Outcome  outcome         `json:"outcome"`
}

// state is never changed once it is made.
type state struct {
	revision float64
	versions map[string]version
}

func main() {
	for _, path := range os.Args[1:] {
		operations, err := read(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, path, err)
			os.Exit(1)
		}
		isLinearizable := porcupine.CheckOperations(model(operations), history(operations))
		fmt.Println(isLinearizable)
	}
}

// read takes the operations that promise something about the newest state.
func read(path string) ([]operation, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var operations []operation
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var one operation
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, err
		}
		isRead := one.Do == "get" || one.Do == "list"
		if one.Type != "operation" || isRead && (string(one.At) != `""` || one.Outcome.Kind == "unknown") {
			continue
		}
		operations = append(operations, one)
	}
	return operations, lines.Err()
}

func history(operations []operation) []porcupine.Operation {
	var all []porcupine.Operation
	for i, one := range operations {
		returned := one.Return
		if one.Outcome.Kind == "unknown" {
			returned = math.MaxInt64
		}
		all = append(all, porcupine.Operation{ClientId: i, Input: one, Call: one.Call, Return: returned})
	}
	return all
}

func model(operations []operation) porcupine.Model {
	named := namedRevisions(operations)
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []interface{} { return []interface{}{state{}} },
		Step: func(from, input, _ interface{}) []interface{} {
			return statesAfter(from.(state), input.(operation), named)
		},
		Equal: func(a, b interface{}) bool { return text(a.(state)) == text(b.(state)) },
	}
	return nondeterministic.ToModel()
}

// namedRevisions are those that operations show or expect, by key.
func namedRevisions(operations []operation) map[string][]float64 {
	sets := map[string]map[float64]bool{}
	add := func(key string, revision *float64) {
		if revision == nil {
			return
		}
		if sets[key] == nil {
			sets[key] = map[float64]bool{}
		}
		sets[key][*revision] = true
	}
	for _, one := range operations {
		add(one.Key, one.Expected)
		items := one.Outcome.Items
		if one.Outcome.Item != nil {
			items = append(items, *one.Outcome.Item)
		}
		for _, item := range items {
			add(item.Key, &item.Revision)
		}
	}
	named := map[string][]float64{}
	for key, set := range sets {
		for revision := range set {
			named[key] = append(named[key], revision)
		}
	}
	return named
}

func statesAfter(from state, one operation, named map[string][]float64) []interface{} {
	switch {
	case one.Outcome.Kind == "unknown":
		return append(effects(from, one, named), from)
	case one.Outcome.Kind == "failed":
		return unchangedIf(from, failsAsAnswered(from, one))
	case one.Do == "get":
		return unchangedIf(from, from.versions[one.Key] == *one.Outcome.Item)
	case one.Do == "list":
		return listed(from, one.Outcome)
	default:
		return effects(from, one, named)
	}
}

func unchangedIf(from state, holds bool) []interface{} {
	if holds {
		return []interface{}{from}
	}
	return nil
}

func failsAsAnswered(from state, one operation) bool {
	found, exists := from.versions[one.Key]
	switch one.Outcome.Reason {
	case "NotFound":
		return !exists
	case "AlreadyExists":
		return exists
	case "Conflict":
		return one.Expected == nil || exists && found.Revision != *one.Expected
	default:
		return true
	}
}

// listed moves the revision to that of the list, which all later writes are above.
func listed(from state, answer outcome) []interface{} {
	if *answer.Revision < math.Floor(from.revision) || len(answer.Items) != len(from.versions) {
		return nil
	}
	for _, item := range answer.Items {
		if from.versions[item.Key] != item {
			return nil
		}
	}
	return []interface{}{state{math.Max(from.revision, *answer.Revision), from.versions}}
}

// effects are the states after a write: one for each revision that it may have got.
func effects(from state, one operation, named map[string][]float64) []interface{} {
	before, exists := from.versions[one.Key]
	if exists == (one.Do == "create") || one.Expected != nil && before.Revision != *one.Expected {
		return nil
	}
	value := one.Value
	if one.Do == "patch" {
		value = withToken(before.Value, one.Token)
	}
	if one.Outcome.Value != nil && *one.Outcome.Value != value {
		return nil
	}
	// A revision that no operation names: between two that one does.
	revisions := append([]float64{math.Nextafter(from.revision, math.Inf(1))}, named[one.Key]...)
	if one.Outcome.Revision != nil {
		revisions = []float64{*one.Outcome.Revision}
	} else if one.Do == "delete" {
		revisions = revisions[:1]
	}
	var states []interface{}
	for _, revision := range revisions {
		if revision <= from.revision {
			continue
		}
		versions := map[string]version{}
		for key, found := range from.versions {
			versions[key] = found
		}
		versions[one.Key] = version{one.Key, value, revision}
		if one.Do == "delete" {
			delete(versions, one.Key)
		}
		states = append(states, state{revision, versions})
	}
	return states
}

func withToken(value, token string) string {
	tokens := map[string]bool{token: true}
	for _, one := range strings.Fields(value) {
		tokens[one] = true
	}
	var sorted []string
	for one := range tokens {
		sorted = append(sorted, one)
	}
	sort.Strings(sorted)
	return strings.Join(sorted, " ")
}

func text(of state) string {
	return fmt.Sprint(of.revision, of.versions)
}
