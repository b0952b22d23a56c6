package classify

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stoplog/stoplog/corpus/names"
)

// Typed names in other cases: Anny Kowalskiej, Novákovi, Virtasen, у Сидорова, Müllers. A
// name has a stem for each way in which its last letters change, and endings that may
// stand behind it. Only words with a capital count, and none that is itself another name
// or a word: Marta does not become Martin.

// stem is a name without what its cases change, as lowered gives it.
type stem struct {
	text    string
	endings map[string]bool
}

// Endings by how a name ends; without accents, as lowered gives text.
var (
	endsGenitive = wordSet("s") // Müllers; every Latin name may have it
	// Polish, Czech, Slovak, Croatian; Romanian ei; Finnish and Hungarian behind a vowel
	endsAfterA     = wordSet("y i e ie o ou u ei om ach ami am an alla alta alle assa asta ana as aval anak at ane")
	endsAdjective  = wordSet("iego iemu im ich imi ego emu ym ych eho ymi mu a iej ej e ou") // Kowalski, Novotný
	endsConsonant  = wordSet("a u owi ovi em iem e ie y i om ow ami ach s in illa ille ilta issa ista ia nak nek val vel t at ot et ert ul ului")
	endsVowel      = wordSet("n lla lta lle ssa sta na ksi a ta s nak nek val vel t vi m ja jlle")
	endsNen        = wordSet("n lla lta lle ssa sta na ksi t") // Virtanen: Virtase·n
	endsSoft       = wordSet("e ie")
	cyrConsonant   = wordSet("а у ом ем е ы ым ой ых ыми ою ам ами ах ові ем")
	cyrAfterA      = wordSet("ы и е у ой ою ей ам ами ах і ію")
	cyrAfterYa     = wordSet("и е ю ей ею ії ям")
	cyrSoft        = wordSet("я ю ем е и ём еві ям")
	cyrAdjective   = wordSet("ого ому им ом ая ой ую ые ие их ым ых его ему ього ьому")
	cyrAdjectiveFe = wordSet("ой ую ою")
)

// stemsOf gives the stems of a name's word, in lower case and without accents.
func stemsOf(w string) []stem {
	last, n := utf8.DecodeLastRuneInString(w)
	count := utf8.RuneCountInString(w)
	if count < 4 || commonWords[w] || strings.ContainsAny(w, " .'’-") {
		return nil
	}
	cut := w[:len(w)-n]
	switch {
	case last >= 'a' && last <= 'z':
		return latinStems(w, cut, byte(last))
	case last >= 0x430 && last <= 0x45F:
		return cyrillicStems(w, cut, last, count)
	}
	return nil
}

func latinStems(w, cut string, last byte) []stem {
	out := []stem{{w, endsGenitive}}
	end := cut[len(cut)-1]
	switch {
	case last == 'a':
		out = append(out, stem{cut, endsAfterA}, stem{w, endsVowel})
		if soft, ok := softened(cut); ok {
			out = append(out, soft)
		}
		if strings.HasSuffix(cut, "sk") || strings.HasSuffix(cut, "ck") || strings.HasSuffix(cut, "zk") || strings.HasSuffix(cut, "ov") {
			out = append(out, stem{cut, endsAdjective})
		}
	case strings.HasSuffix(cut, "sk") || strings.HasSuffix(cut, "ck") || strings.HasSuffix(cut, "zk") || last == 'y' && end == 'n':
		out = append(out, stem{cut, endsAdjective}, stem{w, endsVowel})
	case strings.HasSuffix(w, "nen") && len(w) > 5:
		out = append(out, stem{w[:len(w)-3] + "se", endsNen}, stem{w[:len(w)-3] + "s", wordSetTa})
	case strings.IndexByte("eiouy", last) >= 0:
		out = append(out, stem{w, endsVowel})
		if last == 'o' {
			out = append(out, stem{cut, wordSetO})
		}
		if len(cut) > 3 && end == cut[len(cut)-2] && strings.IndexByte("kpt", end) >= 0 { // Mikko: Mikon
			out = append(out, stem{cut[:len(cut)-1] + w[len(w)-1:], endsVowel})
		}
	default:
		out = append(out, stem{w, endsConsonant})
		if soft, ok := softened(w); ok {
			out = append(out, soft)
		}
		if k := len(w) - 2; k > 2 && w[k] == 'e' && strings.IndexByte("klcrn", last) >= 0 { // Marek: Marka
			out = append(out, stem{w[:k] + w[k+1:], endsConsonant})
		}
	}
	return out
}

var wordSetTa, wordSetO = wordSet("ta ten"), wordSet("a owi em u ovi e ie")

// softened gives the stem before e: Monika, Monice; Marta, Marcie; Piotr, Piotrze.
func softened(s string) (stem, bool) {
	head := s[:len(s)-1]
	switch s[len(s)-1] {
	case 'k':
		return stem{head + "c", endsSoft}, true
	case 'g':
		return stem{head + "dz", endsSoft}, true
	case 't':
		return stem{head + "c", endsSoft}, true
	case 'd':
		return stem{head + "dz", endsSoft}, true
	case 'r':
		return stem{head + "rz", endsSoft}, true
	}
	return stem{}, false
}

func cyrillicStems(w, cut string, last rune, count int) []stem {
	switch {
	case strings.HasSuffix(w, "ский"), strings.HasSuffix(w, "цкий"), strings.HasSuffix(w, "ський"), strings.HasSuffix(w, "ный"), strings.HasSuffix(w, "ой") && count > 4:
		return []stem{{w[:len(w)-4], cyrAdjective}} // two letters of two bytes
	case strings.HasSuffix(w, "ая"):
		return []stem{{w[:len(w)-4], cyrAdjectiveFe}}
	case last == 'а':
		return []stem{{cut, cyrAfterA}}
	case last == 'я':
		return []stem{{cut, cyrAfterYa}}
	case last == 'й', last == 'ь':
		return []stem{{cut, cyrSoft}}
	case strings.ContainsRune("оеиуыэюі", last):
		return nil // foreign, mostly: it does not change
	}
	out := []stem{{w, cyrConsonant}}
	if strings.HasSuffix(w, "ел") || strings.HasSuffix(w, "ек") || strings.HasSuffix(w, "ец") || strings.HasSuffix(w, "ок") { // Павел: Павла
		_, n := utf8.DecodeLastRuneInString(cut)
		out = append(out, stem{cut[:len(cut)-n] + w[len(cut):], cyrConsonant})
	}
	return out
}

// inflected gives the end of the word at i if it is the pattern's stem with one of its
// endings, or 0.
func (p pattern) inflected(low []byte, i int) int {
	from := i + len(p.folded)
	end := from
	for end < len(low) && end-from <= 10 {
		r, n := utf8.DecodeRune(low[end:])
		if !wordRune(r) {
			break
		}
		end += n
	}
	if !p.endings[string(low[from:end])] {
		return 0
	}
	if names.Of(low[i:end])&(names.Forename|names.Surname|names.Word|names.Frequent) != 0 {
		return 0 // another name, or a word
	}
	return end
}

// inflect adds a name's other cases.
func (s *nameSearch) inflect(word string, k *knownValue) {
	for _, st := range stemsOf(string(foldName([]byte(word)))) {
		key := "~" + strconv.Itoa(len(st.endings)) + st.text
		if len(st.text) < 3 || s.have[key] {
			continue
		}
		s.have[key] = true
		s.index(pattern{folded: []byte(st.text), known: k, proper: true, endings: st.endings})
	}
}
