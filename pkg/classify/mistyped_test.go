package classify

import "testing"

// One slip is one letter; a name is no slip of another name.
//
// SPEC: RED-3
func TestOneSlip(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"bohlsen", "bohlson", true}, {"bohlsen", "bolhsen", true}, {"bohlsen", "bohsen", true}, {"bohlsen", "bohllsen", true}, {"bohlsen", "bohlse", true},
		{"bohlsen", "bohlsen", false}, {"bohlsen", "kohlsen", false}, {"bohlsen", "bohl", false}, {"bohlsen", "bolhson", false}, {"b", "", false}, {"ab", "ba", false},
	} {
		if got := oneSlip([]rune(tc.a), []rune(tc.b)); got != tc.want {
			t.Errorf("%s, %s: %v", tc.a, tc.b, got)
		}
		if got := oneSlip([]rune(tc.b), []rune(tc.a)); got != tc.want {
			t.Errorf("%s, %s: %v", tc.b, tc.a, got)
		}
	}
	low, off := lowered([]byte("Julian Bohlsen"))
	k := &knownValue{typ: "PERSON", value: []byte("Bohlsen")}
	k.others = []*knownValue{{typ: "PERSON", value: []byte("Julia")}, k}
	if got, _ := mistypedBefore([]byte("Julian Bohlsen"), low, off, len("Julian "), k); got != nil {
		t.Error("Julian was taken for Julia")
	}
}
