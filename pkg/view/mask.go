package view

import "encoding/binary"

// masks describes 64 bytes, one bit for each.
type masks struct {
	letter, upper, digit uint64 // of ASCII
	sign                 uint64 // ASCII that is neither letter nor digit nor white space nor below it
	line                 uint64 // tabs and line breaks
	stop                 uint64 // . ! ? and line feeds: what may end a sentence
	high                 uint64 // beyond ASCII
	bad                  uint64 // what no plain text holds (see [Plain])
}

// maskLists is where the masks of many blocks go, one element for each block, and what holds for
// any of them.
type maskLists struct {
	letter, upper, digit, sign, line, stop *uint64
	high, bad                              uint64
}

// maskWords classifies eight bytes at a time without branches. It is [mask] for processors
// that no other one is written for, and what that is tested against.
func maskWords(b *[64]byte, m *masks) {
	// Variables of their own stay in registers.
	var letters, lowers, digits, signs, lines, stops, high, bad uint64
	for k := 0; k < 64; k += 8 {
		w := binary.LittleEndian.Uint64(b[k:])
		ascii := ^w & highs
		low := w &^ highs
		// No sum of bytes below 0x80 carries into the next byte. The high bits of two sums
		// differ where a byte lies between their bounds.
		folded := low | 0x20*ones
		letter := ((folded + (0x80-'a')*ones) ^ (folded + (0x80-'z'-1)*ones)) & ascii
		digit := ((low + (0x80-'0')*ones) ^ (low + (0x80-'9'-1)*ones)) & ascii
		line := ((low + (0x80-'\t')*ones) ^ (low + (0x80-'\n'-1)*ones) | (low + (0x80-'\r')*ones) ^ (low + (0x80-'\r'-1)*ones)) & ascii
		// 0x80 minus a byte below it is 0x80 only for nought.
		stop := ((highs - (low ^ '\n'*ones)) | (highs - (low ^ '.'*ones)) | (highs - (low ^ '!'*ones)) | (highs - (low ^ '?'*ones))) & ascii
		// Byte j gathers in its bits 0 … 7 what is so of byte j of each word.
		letters = letters>>1 | letter
		lowers = lowers>>1 | letter&(w<<2)
		digits = digits>>1 | digit
		signs = signs>>1 | (low+(0x80-'!')*ones)&ascii&^letter&^digit
		lines = lines>>1 | line
		stops = stops>>1 | stop
		high = high>>1 | w&highs
		bad = bad>>1 | (w|(low+ones)|^((low+(0x80-' ')*ones)|line))&highs
	}
	letters = transpose(letters)
	*m = masks{letters, letters ^ transpose(lowers), transpose(digits), transpose(signs), transpose(lines), transpose(stops), transpose(high), transpose(bad)}
}

// transpose turns bit 8j+k into bit 8k+j.
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}
