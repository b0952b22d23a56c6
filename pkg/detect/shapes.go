package detect

// shapeRule finds a structure in a text: something that is parsed, not searched.
type shapeRule struct {
	rule int32
	find func(text []byte, found func(start, end int))
}

// shapes are the structures that rules may name.
var shapes = map[string]func(text []byte, found func(start, end int)){}
