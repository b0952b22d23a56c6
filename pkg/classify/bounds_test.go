package classify_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

// What a sender can repeat to make recognition slow: each text is classified twice, once
// four times as long. Work that grows with the square of the length would show as sixteen
// times the processor's time.
//
// SPEC: RED-3
func TestWorkIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	c := compile(t, classify.Source{ID: "s", Ceiling: chunk.Public, Format: "text"})
	ran := 0
	for _, unit := range []string{
		"://", "://a:b/", "a@", "@a.b", "sentry ", "aws ", "ibm ", "okta ", "curl ", "heroku ", "facebook ", "curl -u a:b -H ", "kind: data: ", "sourcegraph ", "sumo: ", "-----BEGIN PRIVATE KEY-----\n", "+4930901820 ", "030 901820 ", "key=", "password=Aa1!",
		"rue 1 ", "1 Main Street ", "eyJ.", "eyJhbGci", "A ", "Maria ", "4111 ", "1-", "ab:", "%41", "&#65;", "a1b2C3d4E5f6", "x1@b.example ", "passport ", "http://", "==", "12.03.", "(", "[[[[", "Dear ",
		"a dot ", "a at b dot ", "ssn ", "last 4 of ssn ", "patient id ", "X1234567 and ", "is my passport ", "1-2-3 Tokyo ", "5 Mah. ", "Aa 5, 1000 Bb, ", "rue du 8 mai ", "Calle 9 # 8-", "東京都中央区銀座4-", "上海市1号", "\"kty\": ", "pwd=", "authorization=", "1-800-A", "0123 456 7890 ", "::1:",
	} {
		cost := func(n int) time.Duration {
			text := []byte(strings.Repeat(unit, n/len(unit)))
			best := time.Hour
			for range 3 {
				at := processorTime(t)
				if _, err := c.Classify(classify.Input{Source: "s", Text: text, StubKey: key()}); err != nil {
					t.Fatal(err)
				}
				best = min(best, processorTime(t)-at)
			}
			return best
		}
		small, large := cost(16<<10), cost(64<<10)
		ran++
		if large > 12*small && large > 100*time.Millisecond {
			t.Errorf("%q: %v for 16 KiB, %v for 64 KiB", unit, small, large)
		}
		t.Logf("%-30q %8.1f µs/KiB", unit, float64(large.Microseconds())/64)
	}
	if ran == 0 {
		t.Error("ran nothing")
	}
}

func processorTime(t *testing.T) time.Duration {
	runtime.GC()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
