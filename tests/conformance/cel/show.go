package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// A text by which values can be compared: almost what one would write to get them. Maps are sorted.
func show(value ref.Val) string {
	switch v := value.(type) {
	case types.String:
		return quote(string(v))
	case types.Bytes:
		return "b" + hex.EncodeToString(v)
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v))
	case types.Double:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case types.Null:
		return "null"
	case types.Duration, types.Timestamp:
		return string(value.ConvertToType(types.StringType).(types.String))
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "optional(" + show(v.GetValue()) + ")"
	case traits.Lister:
		return "[" + strings.Join(showAll(v.Iterator(), show), ", ") + "]"
	case traits.Mapper:
		entries := showAll(v.Iterator(), func(key ref.Val) string { return show(key) + ": " + show(v.Get(key)) })
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case types.Int, types.Bool:
		return fmt.Sprint(v)
	}
	return "<" + value.Type().TypeName() + ">"
}

func showAll(items traits.Iterator, show func(ref.Val) string) []string {
	var shown []string
	for items.HasNext() == types.True {
		shown = append(shown, show(items.Next()))
	}
	return shown
}

func quote(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(text))
	return strings.TrimSuffix(out.String(), "\n")
}
