package detect

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// shapeRule finds a structure in a text: something that is parsed, not searched
// for.
type shapeRule struct {
	rule int32
	term int32 // the term that shape.needs names; -1: none
	shape
}

type shape struct {
	// needs is a class of words without one of which the structure cannot be there;
	// empty: always looked for.
	needs string
	// derived structures are looked for in views only, not in the text itself.
	derived bool
	// find reports false when it gave up: the text is held then.
	find func(n *node, text []byte, found func(start, end int)) bool
}

// maxShapes bounds the rules that name a shape.
const maxShapes = 16

// shapes are the structures that rules may name.
var shapes = map[string]shape{
	"chat-template":  {"any.rolehead", false, always(chatTemplate)},
	"fake-turn":      {"any.rolehead", false, always(fakeTurn)},
	"tool-call":      {"any.toolcall", false, toolCall},
	"data-url":       {"any.mdimage", false, always(dataURL)},
	"hidden-channel": {"", true, always(hiddenChannel)},
}

// always is for structures whose search takes time in proportion to the text.
func always(find func(n *node, text []byte, found func(start, end int))) func(*node, []byte, func(start, end int)) bool {
	return func(n *node, text []byte, found func(start, end int)) bool {
		find(n, text, found)
		return true
	}
}

// templateToken is one control token of a chat template, templateReach what is longer
// than any.
var templateToken = regexp.MustCompile(`^(?i:<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|end_of_turn|start_header_id|end_header_id|begin_of_text|channel|message|start|end|tool_call|python_tag)\|>|\[/?INST\]|<</?SYS>>|</?(?:start_of_turn|end_of_turn)>)`)

const templateReach = 24

// chatTemplate finds the control tokens of chat templates. A cluster of them is
// one finding.
func chatTemplate(_ *node, text []byte, found func(start, end int)) {
	start, end := -1, 0
	angle, square := -1, -1 // the next ones
	for i, n := 0, 0; n < 64; i++ {
		angle, square = nextByte(text, angle, i, '<'), nextByte(text, square, i, '[')
		if i = min(angle, square); i+3 >= len(text) {
			break
		}
		if !mayBeToken(text[i:]) {
			continue
		}
		m := templateToken.FindIndex(text[i:min(len(text), i+templateReach)])
		if m == nil {
			continue
		}
		if n++; n == 1 && !holdsAny(text, "<|", "INST]", "inst]", "SYS>>", "_turn>") {
			return // it is written as nobody writes them
		}
		if start >= 0 && i-end > 80 {
			found(start, end)
			start = -1
		}
		if start < 0 {
			start = i
		}
		end = i + m[1]
		i = end - 1
	}
	if start >= 0 {
		found(start, end)
	}
}

// nextByte gives where the first c from i on is, or the length of the text, if known is where
// the first one from an earlier place on is.
func nextByte(text []byte, known, i int, c byte) int {
	if known >= i {
		return known
	}
	if i < len(text) {
		if n := bytes.IndexByte(text[i:], c); n >= 0 {
			return i + n
		}
	}
	return len(text)
}

// mayBeToken tells from the first four bytes of text whether templateToken may match: an
// expression takes long to say no.
func mayBeToken(text []byte) bool {
	is := func(b byte, letters string) bool { return b >= utf8.RuneSelf || strings.IndexByte(letters, b) >= 0 }
	name := text[1:]
	if name[0] == '/' {
		name = name[1:]
	}
	if text[0] == '[' {
		return is(name[0], "iI") && is(name[1], "nN")
	}
	switch c := text[1]; {
	case c == '|':
		return true
	case c == '<':
		return is(text[2], "/sS")
	case c >= utf8.RuneSelf:
		return false
	}
	return is(name[0], "sS") && is(name[1], "tT") || is(name[0], "eE") && is(name[1], "nN")
}

var (
	systemTurn = regexp.MustCompile(`(?i)^[ \t>*#]*(?:\[|<|\*\*)?(?:system|admin|developer)(?:\]|>|\*\*)?[ \t]*:[ \t*]*\n?[ \t]*(?:you (?:are|must|will|should|now)|ignore|disregard|forget|new (?:instructions?|task|rule)|from now on|your (?:new|task|instructions?)|override|the (?:previous|above) (?:instructions?|prompt))`)
	headTurn   = regexp.MustCompile(`(?i)^[ \t]*###?[ \t]*(?:new )?(?:instructions?|system|user|prompt)[ \t]*:?[ \t]*\n+[ \t]*(?:ignore|disregard|forget|you (?:must|are now|will)|instead|do not)`)
)

// turnReach is how much of a turn tells what it is, in bytes.
const turnReach = 240

// userTurn gives the end of a turn of the user, at the beginning of text, and the
// beginning of a willing answer; 0: there is none.
func userTurn(text []byte) int {
	_, rest := word(text)
	said := colon(rest)
	n := bytes.IndexByte(said, '\n')
	if n < 0 || n > 300 || bytes.IndexByte(rest[bytes.IndexByte(rest, ':')+1:], '\n') < 3 {
		return 0
	}
	rest = said[n+1:]
	if len(rest) > 0 && rest[0] == '\n' {
		rest = rest[1:]
	}
	who, rest := word(rest)
	switch who {
	case "assistant", "ai", "bot", "agent", "model", "chatbot":
	default:
		return 0
	}
	if rest = colon(rest); rest == nil {
		return 0
	}
	for _, s := range [...]string{"sure", "ok", "of course", "certainly", "yes", "understood", "i will", "i'll", "done"} {
		if len(rest) >= len(s) && bytes.EqualFold(rest[:len(s)], []byte(s)) {
			return len(text) - len(rest) + len(s)
		}
	}
	return 0
}

// word reads a word of at most twelve letters behind white space, in lower case.
func word(text []byte) (string, []byte) {
	text = bytes.TrimLeft(text, " \t")
	n := 0
	for n < len(text) && n < 12 && isLetter(text[n]) {
		n++
	}
	return string(bytes.ToLower(text[:n])), text[n:]
}

// colon gives what stands behind a colon and the white space around it; nil: no colon.
func colon(text []byte) []byte {
	if text = bytes.TrimLeft(text, " \t"); len(text) == 0 || text[0] != ':' {
		return nil
	}
	return bytes.TrimLeft(text[1:], " \t")
}

// fakeTurn finds a turn of a conversation that the text writes in another's name.
func fakeTurn(_ *node, text []byte, found func(start, end int)) {
	for at := 0; at < len(text); {
		line := text[at:]
		next := len(text)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			next = at + i + 1
		}
		system, user, heading := turnHead(line[:min(len(line), 40)])
		part := text[at:min(len(text), at+turnReach)]
		var m []int
		if system {
			m = systemTurn.FindIndex(part)
		}
		if heading && m == nil && ordersBelow(part) {
			m = headTurn.FindIndex(part)
		}
		if m != nil {
			found(at+m[0], at+m[1])
		} else if user && at > 0 { // a transcript begins with its first turn
			if end := userTurn(text[at:min(len(text), at+700)]); end > 0 {
				found(at, at+end)
			}
		}
		at = next
	}
}

// ordersBelow reports that what stands below the first line may begin with one of the
// words that headTurn asks for there.
func ordersBelow(part []byte) bool {
	_, below, _ := bytes.Cut(part, []byte("\n"))
	below = bytes.TrimLeft(below, " \t\n")
	return len(below) > 0 && bytes.IndexByte([]byte("idfy"), below[0]|0x20) >= 0
}

// turnHead tells by its first word which turns a line may begin.
func turnHead(line []byte) (system, user, heading bool) {
	head := bytes.TrimLeft(line, " \t>*#[<")
	n := 0
	for n < len(head) && isLetter(head[n]) {
		n++
	}
	if n < 2 || n > 12 {
		return false, false, false
	}
	sharp := bytes.IndexByte(line[:len(line)-len(head)], '#') >= 0
	var first [12]byte
	for i, c := range head[:n] {
		first[i] = lowerASCII[c]
	}
	switch string(first[:n]) {
	case "system":
		return true, false, sharp
	case "admin", "developer":
		return true, false, false
	case "human", "customer", "me":
		return false, true, false
	case "user":
		return false, true, sharp
	case "new", "instruction", "instructions", "prompt":
		return false, false, sharp
	}
	return false, false, false
}

// placeholder reports whether an address has a place where data goes.
func placeholder(url []byte) bool {
	for i, c := range url {
		if !holdsPlace[c] {
			continue
		}
		rest := url[i+1:]
		switch c | 0x20 {
		case '{': // or an opening bracket
			if c == '{' && (len(rest) > 0 && rest[0] == '{' || gapIn(rest, '}', 3, false)) || c == '[' && gapIn(rest, ']', 4, false) {
				return true
			}
		case '$':
			if c == '$' && len(rest) > 0 && rest[0] == '{' {
				return true
			}
		case '<':
			if gapIn(rest, '>', 4, true) {
				return true
			}
		case '%':
			if len(rest) > 0 && rest[0]|0x20 == 's' {
				return true
			}
		case 'y':
			if tail, ok := after(rest, "our"); ok {
				if len(tail) > 0 && (tail[0] == '_' || tail[0] == '-') {
					tail = tail[1:]
				}
				if oneOf(tail, "data", "secret", "password", "key", "token") {
					return true
				}
			}
		case 'i':
			if tail, ok := after(rest, "nsert"); ok && len(tail) > 0 && (tail[0] == '_' || tail[0] == ' ' || tail[0] == '-') && (i == 0 || !wordByte(url[i-1]) && url[i-1] != '_') {
				return true
			}
		case 'h':
			if _, ok := after(rest, "ere"); ok {
				head := url[:i]
				if i > 0 && head[i-1] == '_' {
					head = head[:i-1]
				}
				for _, s := range [...]string{"data", "secret", "info", "payload", "base64", "exfil", "summary", "conversation", "history", "password", "token"} {
					if len(head) >= len(s) && bytes.EqualFold(head[len(head)-len(s):], []byte(s)) {
						return true
					}
				}
			}
		}
	}
	return false
}

// holdsPlace are the bytes that a place for data begins with, or that end what tells of it.
var holdsPlace = func() (t [256]bool) {
	for _, c := range []byte("{[$<%yYiIhH") {
		t[c] = true
	}
	return
}()

// gapIn reports at least min letters, spaces and underscores up to the closing sign.
func gapIn(text []byte, closing byte, min int, digits bool) bool {
	for n, c := range text {
		switch {
		case c == closing:
			return n >= min
		case !isLetter(c) && c != '_' && c != ' ' && !(digits && c >= '0' && c <= '9'):
			return false
		}
	}
	return false
}

// after gives what follows s at the beginning of text, whatever its case.
func after(text []byte, s string) ([]byte, bool) {
	if len(text) < len(s) || !bytes.EqualFold(text[:len(s)], []byte(s)) {
		return nil, false
	}
	return text[len(s):], true
}

func oneOf(text []byte, list ...string) bool {
	for _, s := range list {
		if _, ok := after(text, s); ok {
			return true
		}
	}
	return false
}

// dataURL finds an image or a link whose address has a place for data. An image
// is fetched without a click: any place will do. A link needs one in its query.
func dataURL(_ *node, text []byte, found func(start, end int)) {
	for rest, base := text, 0; ; {
		i := bytes.Index(rest, []byte("](http"))
		if i < 0 {
			break
		}
		at := base + i
		rest, base = rest[i+6:], at+6
		end := bytes.IndexByte(rest[:min(len(rest), 500)], ')')
		line := bytes.LastIndexByte(text[max(0, at-100):at], '[')
		if end < 0 || line < 0 {
			continue
		}
		open := max(0, at-100) + line
		url := rest[:end]
		image := open > 0 && text[open-1] == '!'
		q := bytes.IndexByte(url, '?')
		if !image && q < 0 {
			continue
		}
		if !image {
			url = url[q:]
		}
		if placeholder(url) {
			if image {
				open--
			}
			found(open, base+end+1)
		}
	}
	for rest, base := text, 0; ; {
		i := bytes.Index(rest, []byte("<img"))
		if i < 0 {
			break
		}
		at := base + i
		rest, base = rest[i+4:], at+4
		end := bytes.IndexByte(rest[:min(len(rest), 1000)], '>')
		if end < 0 {
			continue
		}
		tag := rest[:end]
		src := bytes.Index(tag, []byte("src="))
		if src < 0 {
			continue
		}
		if q := bytes.IndexByte(tag[src:], '?'); q >= 0 && placeholder(tag[src+q:]) {
			found(at, base+end+1)
		}
	}
}

// hiddenChannel finds words in a layer made of invisible characters. Flags of
// regions are written with tag characters too: they hold no space.
func hiddenChannel(n *node, text []byte, found func(start, end int)) {
	switch n.v.Name {
	case "tags", "variation-selectors", "zero-width":
	default:
		return
	}
	letters := 0
	for _, c := range text {
		if isLetter(c) {
			letters++
		}
	}
	if letters >= 5 && bytes.ContainsAny(text, " :/@._=-") || letters > 0 && !isASCII(string(text)) {
		found(0, len(text))
	}
}

var (
	react  = regexp.MustCompile(`(?m)^[ \t>]*Action[ \t]*:[ \t]*[\w.-]+[ \t]*\n+[ \t>]*Action Input[ \t]*:[ \t]*\S`)
	invoke = regexp.MustCompile(`(?i)<invoke[ \t]+name=["'][\w.:-]+["'][ \t]*>|<tool_call>[ \t\n]*\{|<function=[\w.-]+>|<tool_use>[ \t\n]*<|<use_mcp_tool>|<execute_command>[ \t\n]*<`)
)

// callKeys are names in JSON that tell of a call.
var callKeys = [...]string{"tool_calls", "function_call", "tool_use", "tools/call", "arguments", "tool", "tool_name", "action_input", "action"}

// keysOfCalls gives where callKeys stand in quotation marks, the first max of them.
func keysOfCalls(text []byte, max int) (at []int) {
	for i := 0; len(at) < max; i++ {
		k := bytes.IndexByte(text[i:], '"')
		if k < 0 {
			break
		}
		i += k
		if i+1 == len(text) || bytes.IndexByte([]byte("tfa"), text[i+1]) < 0 {
			continue
		}
		for _, key := range callKeys {
			if rest, ok := bytes.CutPrefix(text[i+1:], []byte(key)); ok && len(rest) > 0 && rest[0] == '"' {
				at = append(at, i)
				i += len(key) + 1
				break
			}
		}
	}
	return at
}

// toolCall finds text that a model's runtime would take for a call: JSON of the
// forms of OpenAI, Anthropic and MCP, the ReAct form, XML invocations.
func toolCall(_ *node, text []byte, found func(start, end int)) bool {
	if bytes.Contains(text, []byte("Action Input")) {
		for _, m := range react.FindAllIndex(text, 8) {
			found(m[0], m[1])
		}
	}
	if holdsTag(text, "invoke", "INVOKE", "tool_", "function=", "use_mcp", "execute_") {
		for _, m := range invoke.FindAllIndex(text, 8) {
			found(m[0], m[1])
		}
	}
	keys := keysOfCalls(text, 32)
	if len(keys) == 0 || !holdsAny(text, `"arguments"`, `"tool`, `"function`, `"action_input"`, `/call"`, `"args"`) {
		return true
	}
	o := objects{text: text, left: 8*len(text) + 4<<10}
	last := -1
	var call []byte // the one found last
	for _, at := range keys {
		if at < last {
			continue
		}
		// What holds a call that was found was looked at then.
		for _, open := range enclosing(text, at, max(last, 0)) {
			end := o.end(open)
			if end == 0 {
				continue
			}
			if bytes.Equal(text[open:end], call) {
				found(open, end)
				last = end
				break
			}
			o.left -= 4 * (end - open) // parsing takes longer than matching braces
			var v any
			if json.Unmarshal(text[open:end], &v) == nil && isCall(v, 0) {
				found(open, end)
				last, call = end, text[open:end]
				break
			}
		}
		if o.left < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// holdsTag reports that a tag begins with one of the names.
func holdsTag(text []byte, names ...string) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], '<')
		if i < 0 {
			return false
		}
		at += i
		for _, s := range names {
			if rest := text[at+1:]; len(rest) >= len(s) && string(rest[:len(s)]) == s {
				return true
			}
		}
	}
}

func holdsAny(text []byte, list ...string) bool {
	for _, s := range list {
		if bytes.Contains(text, []byte(s)) {
			return true
		}
	}
	return false
}

// enclosing gives the braces behind text[:from] that may open an object around text[at], outermost
// first, at most six within 8 KiB.
func enclosing(text []byte, at, from int) []int {
	var open []int
	depth := 0
	for i := at - 1; i >= from && at-i < 8<<10 && len(open) < 6; i-- {
		switch text[i] {
		case '}':
			depth++
		case '{':
			if depth == 0 {
				open = append(open, i)
			} else {
				depth--
			}
		}
	}
	slices.Reverse(open)
	return open
}

// objects matches braces. What one look at the text shows of inner objects is kept, so
// that nesting costs no second look.
type objects struct {
	text  []byte
	left  int // bytes that may still be looked at
	ends  map[int]int
	stack []int
}

// objectMax is the longest object that is parsed, in bytes.
const objectMax = 16 << 10

// end gives the end of the JSON object that begins at text[open]; 0: none within
// objectMax, or too much was looked at.
func (o *objects) end(open int) int {
	if end, ok := o.ends[open]; ok {
		return end
	}
	if o.left < 0 {
		return 0
	}
	if o.ends == nil {
		o.ends = map[int]int{}
	}
	o.stack = o.stack[:0]
	quoted := false
	i := open
	for ; i < len(o.text) && i-open < objectMax; i++ {
		c := o.text[i]
		if quoted {
			switch c {
			case '\\':
				i++
			case '"':
				quoted = false
			}
			continue
		}
		switch c {
		case '"':
			quoted = true
		case '{', '[':
			o.stack = append(o.stack, i)
		case '}', ']':
			n := len(o.stack) - 1
			o.ends[o.stack[n]] = i + 1
			if o.stack = o.stack[:n]; n == 0 {
				o.left -= i - open
				return i + 1
			}
		}
	}
	o.left -= i - open
	for _, inner := range o.stack { // none of them ends
		if i >= len(o.text) || inner == open {
			o.ends[inner] = 0
		}
	}
	return 0
}

// isCall reports whether a JSON value is, or holds near its top, a call. The
// description of a tool (with a schema) is not one.
func isCall(v any, depth int) bool {
	m, ok := v.(map[string]any)
	if !ok {
		if list, ok := v.([]any); ok && depth < 3 {
			for _, e := range list {
				if isCall(e, depth+1) {
					return true
				}
			}
		}
		return false
	}
	str := func(k string) string { s, _ := m[k].(string); return s }
	args := func(k string) bool {
		switch a := m[k].(type) {
		case map[string]any:
			_, schema := a["properties"]
			return !schema
		case string:
			t := strings.TrimSpace(a)
			return strings.HasPrefix(t, "{")
		}
		return false
	}
	_, described := m["description"]
	switch {
	case described:
		return false
	case str("jsonrpc") == "2.0" && (str("method") == "tools/call" || str("method") == "sampling/createMessage"):
		return true
	case str("type") == "tool_use" && str("name") != "" && args("input"):
		return true
	case str("name") != "" && args("arguments"):
		return true
	case (str("tool") != "" || str("tool_name") != "") && (args("arguments") || args("args") || args("parameters") || args("input") || args("tool_input") || args("params")):
		return true
	case str("action") != "" && m["action_input"] != nil:
		return true
	}
	if depth >= 3 {
		return false
	}
	for _, k := range []string{"tool_calls", "function_call", "function", "message", "content", "choices", "tool_call"} {
		if inner, ok := m[k]; ok && isCall(inner, depth+1) {
			return true
		}
	}
	return false
}
