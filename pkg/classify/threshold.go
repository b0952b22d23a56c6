package classify

import (
	"fmt"
	"math"
)

// evenScore is the score that an element needs where nothing else is declared: recognisers
// give more to what is likelier an element of their type than not.
const evenScore = 0.5

// limits say what counts as found in a text.
type limits struct {
	noNames bool
	scores  map[string]float64 // by type; a type that is not in it needs evenScore
}

// of gives the score that a type needs.
func (l *limits) of(typ string) float64 {
	if v, ok := l.scores[typ]; ok {
		return v
	}
	return evenScore
}

// personBias is the score that a person needs, as the tagger takes it: in logits from even.
func (l *limits) personBias() float64 {
	t := l.of("PERSON")
	return math.Log((1 - t) / t)
}

// entityTypes are the types that recognisers know.
var entityTypes = func() map[string]bool {
	m := wordSet("SECRET CRYPTO PASSPORT DE_PASSPORT ES_PASSPORT IN_PASSPORT UK_PASSPORT DRIVER_LICENSE US_DRIVER_LICENSE US_BANK_NUMBER MRN HEALTH_INSURANCE_ID CREDIT_CARD IBAN_CODE EMAIL_ADDRESS PHONE_NUMBER IP_ADDRESS MAC_ADDRESS DATE_TIME PERSON LOCATION")
	for _, r := range allRecognisers {
		if r.entity != "" {
			m[r.entity] = true
		}
	}
	return m
}()

// checkScores says what is wrong with declared scores; empty: nothing.
func checkScores(scores map[string]float64) (member, reason string) {
	for typ, v := range scores {
		at := fmt.Sprintf("min_scores.%s", typ)
		if !entityTypes[typ] {
			return at, "no recogniser finds such a type"
		}
		if !(v >= 0.05 && v <= evenScore) {
			return at, "must be in [0.05,0.5]: a source can have more found, not less"
		}
	}
	return "", ""
}
