package classify

// Checks that several countries share.

// digits reports whether b is digits alone.
func digits(b []byte) bool {
	for _, c := range b {
		if !is(c, cDigit) {
			return false
		}
	}
	return true
}

// same reports whether all bytes are the same: such numbers pass many checks and are
// nobody's.
func same(b []byte) bool {
	for _, c := range b {
		if c != b[0] {
			return false
		}
	}
	return true
}

// weighted is the sum of digits times weights.
func weighted(b []byte, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += w * int(b[i]-'0')
	}
	return sum
}

// dayMonth reports whether a day and a month exist together.
func dayMonth(day, month int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
}

// num reads n digits at i.
func num(b []byte, i, n int) int { return prefix(b[i:], n) }

// mod11_10 is ISO 7064 MOD 11,10 over digits, the check digit last.
func mod11_10(b []byte) bool {
	p := 10
	for _, c := range b[:len(b)-1] {
		s := (int(c-'0') + p) % 10
		if s == 0 {
			s = 10
		}
		p = s * 2 % 11
	}
	return (11-p)%10 == int(b[len(b)-1]-'0')
}

// bigMod is the remainder of a decimal number.
func bigMod(b []byte, m int) int {
	r := 0
	for _, c := range b {
		r = (r*10 + int(c-'0')) % m
	}
	return r
}

// mod11digit is the check digit of a weighted sum where 10 counts as 0.
func mod11digit(sum int) int { return (11 - sum%11) % 11 % 10 }

// verhoeff checks a number with the Verhoeff scheme, the check digit last.
func verhoeff(b []byte) bool {
	c := byte(0)
	for i := range b {
		c = verhoeffD[c][verhoeffP[i%8][b[len(b)-1-i]-'0']]
	}
	return c == 0
}

var verhoeffD = [10][10]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 0, 6, 7, 8, 9, 5}, {2, 3, 4, 0, 1, 7, 8, 9, 5, 6}, {3, 4, 0, 1, 2, 8, 9, 5, 6, 7},
	{4, 0, 1, 2, 3, 9, 5, 6, 7, 8}, {5, 9, 8, 7, 6, 0, 4, 3, 2, 1}, {6, 5, 9, 8, 7, 1, 0, 4, 3, 2}, {7, 6, 5, 9, 8, 2, 1, 0, 4, 3},
	{8, 7, 6, 5, 9, 3, 2, 1, 0, 4}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
}

var verhoeffP = [8][10]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 5, 7, 6, 2, 8, 3, 0, 9, 4}, {5, 8, 0, 3, 7, 9, 6, 1, 4, 2}, {8, 9, 1, 6, 0, 4, 3, 5, 2, 7},
	{9, 4, 5, 3, 1, 2, 6, 8, 7, 0}, {4, 2, 8, 6, 5, 7, 3, 9, 0, 1}, {2, 7, 9, 3, 8, 0, 6, 4, 1, 5}, {7, 0, 4, 6, 9, 1, 3, 2, 5, 8},
}
