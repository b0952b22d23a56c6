package chunk

import "fmt"

// Verdict is the outcome of the injection scan of one chunk. The zero value is
// Hold: what nobody decided, and what could not be decided (an error, a panic, a
// timeout, an exceeded bound), waits for a person and never reads as clean.
type Verdict uint8

// The verdicts.
const (
	Hold       Verdict = iota // could not be decided
	Clean                     // may go on
	Suspect                   // withheld from contexts, reviewed, does not halt the run
	Quarantine                // injection: quarantined; direct content halts its run
)

func (v Verdict) String() string {
	switch v {
	case Clean:
		return "clean"
	case Suspect:
		return "suspect"
	case Quarantine:
		return "quarantine"
	default:
		return "hold"
	}
}

// ParseVerdict reads a verdict's name.
func ParseVerdict(s string) (Verdict, error) {
	for _, v := range []Verdict{Hold, Clean, Suspect, Quarantine} {
		if v.String() == s {
			return v, nil
		}
	}
	return Hold, fmt.Errorf("chunk: unknown verdict (want clean, suspect, quarantine or hold)")
}

// severity orders verdicts: clean < suspect < hold < quarantine.
func (v Verdict) severity() int {
	switch v {
	case Clean:
		return 0
	case Suspect:
		return 1
	case Quarantine:
		return 3
	default:
		return 2
	}
}

// Worse gives the graver of two verdicts: clean < suspect < hold < quarantine.
func (v Verdict) Worse(w Verdict) Verdict {
	if w.severity() > v.severity() {
		return w
	}
	return v
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's name strictly.
func (v *Verdict) UnmarshalText(b []byte) error {
	w, err := ParseVerdict(string(b))
	if err != nil {
		return err
	}
	*v = w
	return nil
}

// Band is the confidence_band of a chunk or of a run's context: how far a reader
// may rely on what is there. The zero value is BandUnknown.
type Band uint8

// The bands, lowest first.
const (
	BandUnknown Band = iota
	BandLow
	BandMedium
	BandHigh
)

func (b Band) String() string {
	switch b {
	case BandLow:
		return "low"
	case BandMedium:
		return "medium"
	case BandHigh:
		return "high"
	default:
		return "unknown"
	}
}

// Min gives the lower of two bands.
func (b Band) Min(c Band) Band {
	if c < b {
		return c
	}
	return b
}

// MarshalText writes the band's name.
func (b Band) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads a band's name strictly.
func (b *Band) UnmarshalText(t []byte) error {
	for _, v := range []Band{BandUnknown, BandLow, BandMedium, BandHigh} {
		if v.String() == string(t) {
			*b = v
			return nil
		}
	}
	return fmt.Errorf("chunk: unknown confidence band (want high, medium, low or unknown)")
}

// Disposition is where a chunk ended (SPEC PRV-9). The zero value, Pending, is
// not an end: a chunk is pending while it is under way or has an open gate.
type Disposition uint8

// The dispositions.
const (
	Pending Disposition = iota
	Cleared
	Released // let through by a reviewer
	Rejected // refused by a reviewer
	Blocked  // refused at the door after it was authenticated
	DeadLettered
	Expired // its gate ran out, which is a rejection nobody made
)

var dispositionNames = [...]string{"pending", "cleared", "released", "rejected", "blocked", "dead-letter", "expired"}

// Final reports whether the disposition is an end.
func (d Disposition) Final() bool { return d != Pending && int(d) < len(dispositionNames) }

func (d Disposition) String() string {
	if int(d) < len(dispositionNames) {
		return dispositionNames[d]
	}
	return dispositionNames[Pending]
}

// MarshalText writes the disposition's name.
func (d Disposition) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a disposition's name strictly.
func (d *Disposition) UnmarshalText(b []byte) error {
	for i, n := range dispositionNames {
		if n == string(b) {
			*d = Disposition(i)
			return nil
		}
	}
	return fmt.Errorf("chunk: unknown disposition")
}
