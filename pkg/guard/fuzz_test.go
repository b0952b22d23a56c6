package guard_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/guard"
)

// FuzzDecide: whatever the arguments are, the guard answers, an address in a plain
// or once-encoded value never gets through, and nothing of a call is repeated that
// the registry did not declare.
func FuzzDecide(f *testing.F) {
	g, err := guard.Compile([]guard.Tool{{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Arguments: []guard.Argument{
		{Name: "text", Type: "string"}, {Name: "list", Type: "array"}, {Name: "object", Type: "object"},
	}}}, guard.Options{Recognise: recognise, ClassOf: classOf})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"text":"x"}`, "before ", " after", uint8(0))
	f.Add(`{"list":[1,{"a":"b"}]}`, "%", "%4", uint8(3))
	f.Fuzz(func(t *testing.T, args, before, after string, form uint8) {
		d := g.Decide(guard.Call{Tool: "t", Arguments: json.RawMessage(args)}, guard.RunState{Class: chunk.Public})
		for _, n := range d.ArgumentNames {
			if n != "text" && n != "list" && n != "object" {
				t.Fatalf("the name %q is repeated", n)
			}
		}
		value := address
		switch form % 4 {
		case 1:
			value = base64.StdEncoding.EncodeToString([]byte(address))
		case 2:
			value = hex.EncodeToString([]byte(address))
		case 3:
			value = url.QueryEscape(address)
		}
		text := before + " \x01" + value + "\x01 " + after
		b, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			return
		}
		if d := g.Decide(guard.Call{Tool: "t", Arguments: b}, guard.RunState{Class: chunk.Public}); d.Outcome != guard.Deny {
			t.Fatalf("%q gets through: %v %v", text, d.Outcome, d.Rule)
		}
	})
}
