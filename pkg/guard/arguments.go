package guard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a call's arguments. What exceeds them is refused.
const (
	MaxArgumentBytes = 256 << 10 // of the whole JSON object
	maxDepth         = 16
	maxLeaves        = 4096
)

// leaf is one string, number or key somewhere in the arguments.
type leaf struct {
	argument string
	text     string
	kind     string // string, number, boolean, null
	key      bool   // a key of an object inside an argument
	sink     bool   // the argument says where data goes
}

type arguments struct {
	names  []string
	leaves []leaf
}

// The codes of a [FieldError].
const (
	codeJSON       = "json-invalid"
	codeDuplicate  = "duplicate"
	codeUndeclared = "undeclared"
	codeMissing    = "missing"
	codeType       = "wrong-type"
	codeTooLarge   = "too-large"
	codeTooDeep    = "too-deep"
	codeVague      = "vague"
	codeUnknown    = "unknown"
	codeFormat     = "wrong-format"
)

// decode reads a call's arguments strictly against the tool's declaration: one
// JSON object, no key twice, nothing undeclared, everything required, each of its
// declared type and size.
func (t *tool) decode(raw json.RawMessage) (arguments, []FieldError) {
	return decodeObject(raw, "arguments", t.arguments, t.Tool.Arguments)
}

func decodeObject(raw json.RawMessage, root string, declared map[string]*Argument, order []Argument) (arguments, []FieldError) {
	var out arguments
	fail := func(field, code, detail string) []FieldError {
		return []FieldError{{Field: field, Code: code, Detail: detail}}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	if len(raw) > MaxArgumentBytes {
		return out, fail(root, codeTooLarge, "the arguments are too large")
	}
	if !utf8.Valid(raw) {
		return out, fail(root, codeJSON, "not UTF-8")
	}
	w := walker{d: json.NewDecoder(bytes.NewReader(raw))}
	w.d.UseNumber()
	top, err := w.object(declared)
	if err == "" && w.d.InputOffset() < int64(len(raw)) && len(bytes.TrimSpace(raw[w.d.InputOffset():])) > 0 {
		err = codeJSON
	}
	if err != "" {
		return out, fail(root, err, details[err])
	}
	var errs []FieldError
	undeclared := false
	for n := range top {
		if declared[n] == nil {
			undeclared = true
		} else {
			out.names = append(out.names, n)
		}
	}
	slices.Sort(out.names)
	if undeclared { // its name is the agent's text and is not repeated
		errs = append(errs, FieldError{root, codeUndeclared, "there is an argument that the registry does not declare"})
	}
	for i := range order {
		a := &order[i]
		v, given := top[a.Name]
		switch {
		case !given && a.Required:
			errs = append(errs, FieldError{root + "." + a.Name, codeMissing, "required"})
		case !given:
		case !fits(a.Type, v.kind, v.integer):
			errs = append(errs, FieldError{root + "." + a.Name, codeType, "want " + a.Type})
		case a.MaxBytes > 0 && v.bytes > a.MaxBytes:
			errs = append(errs, FieldError{root + "." + a.Name, codeTooLarge, "longer than the registry allows"})
		}
	}
	out.leaves = w.leaves
	for i := range out.leaves {
		if a := declared[out.leaves[i].argument]; a != nil {
			out.leaves[i].sink = a.Sink
		}
	}
	return out, errs
}

var details = map[string]string{
	codeJSON:      "not a JSON object",
	codeDuplicate: "the same key twice in one object",
	codeTooDeep:   "nested too deep",
	codeTooLarge:  "too many values",
}

func fits(want, kind string, integer bool) bool {
	if want == "integer" {
		return kind == "number" && integer
	}
	return want == kind
}

type value struct {
	kind    string
	integer bool
	bytes   int
}

type walker struct {
	d      *json.Decoder
	leaves []leaf
}

func (w *walker) add(l leaf) string {
	if len(w.leaves) >= maxLeaves {
		return codeTooLarge
	}
	w.leaves = append(w.leaves, l)
	return ""
}

// object reads the outermost object: name → what stands there.
func (w *walker) object(declared map[string]*Argument) (map[string]value, string) {
	if tok, err := w.d.Token(); err != nil || tok != json.Delim('{') {
		return nil, codeJSON
	}
	out := map[string]value{}
	for w.d.More() {
		tok, err := w.d.Token()
		key, ok := tok.(string)
		if err != nil || !ok {
			return nil, codeJSON
		}
		if _, twice := out[key]; twice {
			return nil, codeDuplicate
		}
		start := w.d.InputOffset()
		v, bad := w.value(key, 1)
		if bad != "" {
			return nil, bad
		}
		if v.kind != "string" {
			v.bytes = int(w.d.InputOffset() - start)
		}
		out[key] = v
	}
	if _, err := w.d.Token(); err != nil {
		return nil, codeJSON
	}
	return out, ""
}

func (w *walker) value(argument string, depth int) (value, string) {
	tok, err := w.d.Token()
	if err != nil {
		return value{}, codeJSON
	}
	switch v := tok.(type) {
	case string:
		return value{kind: "string", bytes: len(v)}, w.add(leaf{argument: argument, text: v, kind: "string"})
	case json.Number:
		return value{kind: "number", integer: !strings.ContainsAny(v.String(), ".eE")}, w.add(leaf{argument: argument, text: v.String(), kind: "number"})
	case bool:
		return value{kind: "boolean"}, w.add(leaf{argument: argument, kind: "boolean"})
	case nil:
		return value{kind: "null"}, w.add(leaf{argument: argument, kind: "null"})
	case json.Delim:
		if depth >= maxDepth {
			return value{}, codeTooDeep
		}
		seen := map[string]bool{}
		for w.d.More() {
			if v == '{' {
				tok, err := w.d.Token()
				key, ok := tok.(string)
				if err != nil || !ok {
					return value{}, codeJSON
				}
				if seen[key] {
					return value{}, codeDuplicate
				}
				seen[key] = true
				if bad := w.add(leaf{argument: argument, text: key, kind: "string", key: true}); bad != "" {
					return value{}, bad
				}
			}
			if _, bad := w.value(argument, depth+1); bad != "" {
				return value{}, bad
			}
		}
		if _, err := w.d.Token(); err != nil {
			return value{}, codeJSON
		}
		if v == '{' {
			return value{kind: "object"}, ""
		}
		return value{kind: "array"}, ""
	}
	return value{}, codeJSON
}
